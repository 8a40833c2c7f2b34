"""The cards of a site's picture: what is written on each, where it should stand, and which lines join them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tools.picture.facts import Interface, Network, Pods, Pool, Range, Site
from tools.picture.layout import Box, Font, Layout, Place

WIDTH = 900
#: Pixels: edge of the picture, padding of a card, height of a line of text, distance between cards, height of a row.
EDGE, PAD, LINE, GAP, ROW = 14, 10, 16, 12, 20
#: Left of the pools, where the lines from jobs to the head and from pods to Lustre run.
GUTTER = 28
#: Between the cluster and the networks, where the lines from the interfaces run; and right of the networks.
CHANNEL, MARGIN = 44, 18
NETWORKS = 298
NIC = 106
#: A picture shows this many workers at most, and says how many more there are.
WORKERS = 3

TITLE = Font(size=18, bold=True)
HEADING = Font(size=13, bold=True)
PLAIN = Font(size=12)
NAME = Font(size=11, mono=True)


@dataclass(frozen=True)
class Text:
    """A line of text in a card, and one at its right end."""

    left: str
    font: Font = PLAIN
    right: str = ""


@dataclass(frozen=True, kw_only=True)
class Card:
    """A box with lines of text at its top, and the cards that stand in it.

    The texts begin `indent` from its left edge and stay `aside` away from its right padding. `look` is its CSS class.
    """

    box: Box
    look: str
    texts: tuple[Text, ...] = ()
    indent: int = PAD
    aside: int = 0
    inner: list[Card] = field(default_factory=list["Card"])

    @property
    def head(self) -> int:
        """Where what stands in it may begin, below its top."""
        return PAD + LINE * len(self.texts) + (PAD // 2 if self.texts else 0)


@dataclass(frozen=True, kw_only=True)
class Wire:
    """A line through points, with an arrow head or a dot at its end, and a label that begins at `at`."""

    look: str
    points: tuple[tuple[int, int], ...]
    end: str = ""
    label: str = ""
    at: tuple[int, int] = (0, 0)


class Picture:
    """The cards of a site, and the wishes where they should stand."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._layout = layout = Layout()
        self.ground = Card(box=layout.box(width=WIDTH), look="ground", texts=self._title(), indent=EDGE)
        self.jobs = self._jobs()
        self.cluster = self._card("cluster", self._cluster_texts(), indent=GUTTER)
        self.cpu_pool, self.head, self.cpu_nic = self._cpu_pool(site.cluster.cpu_pool)
        self.gpu_pool, self.workers, self.gpu_nics = self._gpu_pool(site.cluster.gpu_pool)
        self.main, self.main_rows = self._network("main", site.main, self._main_ranges())
        self.gvnic, self.gvnic_rows = self._network("gvnic", site.gvnic, site.gvnic.subnets)
        self.rdma, self.rdma_rows = self._network("rdma", site.rdma, site.rdma.subnets)
        self.lustre = self._card("lustre", self._lustre_texts(), height=2 * PAD + 3 * LINE)
        self._arrange()

    def place(self, card: Card) -> Place:
        """Where a card has come to stand."""
        return self._layout.place(card.box)

    # What stands in the cards ------------------------------------------------------------------------------------

    def _title(self) -> tuple[Text, ...]:
        site = self._site
        return (Text(site.name, TITLE, f"project {site.project}, zone {site.zone}"),)

    def _cluster_texts(self) -> tuple[Text, ...]:
        cluster, ray = self._site.cluster, self._site.ray
        return (
            Text(f"GKE cluster {cluster.name}", HEADING),
            Text(f"{cluster.version}, channel {cluster.channel}, {cluster.endpoint}, {cluster.operator}"),
            Text(f"Namespace {ray.namespace}: RayCluster {ray.name}, Ray {ray.version}"),
            Text(f"Image {ray.image}"),
        )

    def _lustre_texts(self) -> tuple[Text, ...]:
        lustre, ray = self._site.lustre, self._site.ray
        size = f"{lustre.capacity_gib:,} GiB at {lustre.throughput} MB/s per TiB"
        return (
            Text(f"Managed Lustre {lustre.name}", HEADING),
            Text(f"{size}: {lustre.total_throughput:,} MB/s in all"),
            Text(f"File system {lustre.filesystem}, port {lustre.port}, volume claim {ray.claim}"),
        )

    def _main_ranges(self) -> tuple[Range, ...]:
        main = self._site.main
        return (
            *main.subnets,
            Range(name="pods", addresses=main.pods),
            Range(name="services", addresses=main.services),
            main.private_services,
        )

    def _card(
        self,
        look: str,
        texts: Iterable[Text] = (),
        *,
        height: float | None = None,
        indent: int = PAD,
        aside: int = 0,
    ) -> Card:
        return Card(box=self._layout.box(height=height), look=look, texts=tuple(texts), indent=indent, aside=aside)

    def _rows(self, look: str, texts: Iterable[Text]) -> list[Card]:
        return [Card(box=self._layout.box(height=ROW), look=look, texts=(text,), indent=8) for text in texts]

    def _jobs(self) -> Card:
        """A card of chips, three beside each other."""
        texts = [Text(one.ray_job, NAME, "" if one.ray_cluster else "own cluster") for one in self._site.jobs]
        card = self._card("jobs", [Text(f"RayJobs, a stack each: job_{self._site.name}_...", HEADING)])
        card.inner.extend(self._rows("row", texts))
        lines = [card.inner[start : start + 3] for start in range(0, len(texts), 3)]
        third = (WIDTH - 2 * EDGE - 2 * PAD - 2 * GAP) / 3
        for line in lines:
            self._layout.want(line[0].box.left == card.box.left + PAD)
            self._layout.want(line[0].box.width == third)
            self._layout.side_by_side([chip.box for chip in line], gap=GAP)
            for chip in line:
                self._layout.inside(card.box, chip.box, head=card.head, sides=PAD)
        self._layout.below([line[0].box for line in lines], gap=GAP / 2)
        return card

    def _network(self, look: str, network: Network, ranges: Sequence[Range]) -> tuple[Card, list[Card]]:
        """A VPC and the rows of its ranges."""
        card = self._card(look, [Text(f"VPC {network.name}", HEADING), *map(Text, network.traits)])
        rows = self._rows("row", [Text(one.name, NAME, one.addresses) for one in ranges])
        card.inner.extend(rows)
        self._layout.column(card.box, [row.box for row in rows], head=card.head, sides=PAD, gap=2)
        return card, rows

    def _cpu_pool(self, pool: Pool) -> tuple[Card, Card, Card]:
        texts = [Text(f"{pool.name}: {pool.least} to {pool.most} × {pool.machine}", HEADING)]
        card = self._card("pool", texts, aside=NIC + PAD)
        head = self._pods("Ray head", self._site.ray.head)
        (nic,) = self._rows("main", [Text("eth0", NAME)])
        card.inner.extend([head, nic])
        self._layout.want(head.box.right == card.box.right - 2 * PAD - NIC)
        self._stand_in_pool(card, [head], [nic])
        return card, head, nic

    def _gpu_pool(self, pool: Pool) -> tuple[Card, list[Card], list[Card]]:
        workers = self._site.ray.workers
        card = self._card(
            "pool",
            [
                Text(f"{pool.name}: {pool.least} to {pool.most} × {pool.machine}", HEADING),
                Text(f"{pool.gpus} × {pool.gpu} each"),
                Text(pool.capacity),
            ],
            aside=NIC + PAD,
        )
        pods = [self._pods("Ray worker", workers) for _ in range(min(workers.count, WORKERS))]
        if workers.count > WORKERS:
            more = workers.count - WORKERS
            pods.append(self._card("pod", [Text(f"and {more} more like {'it' if more == 1 else 'these'}")], height=36))
        if not pods:
            pods.append(self._card("pod", [Text("No Ray workers: ray.workers is 0")], height=36))
        looks = {subnet.name: "gvnic" for subnet in self._site.gvnic.subnets}
        looks |= {subnet.name: "rdma" for subnet in self._site.rdma.subnets}
        nics = [
            row
            for one in workers.interfaces
            for row in self._rows(looks.get(one.subnet, "main"), [Text(_nic(one), NAME)])
        ]
        card.inner.extend([*pods, *nics])
        for pod in pods:
            self._layout.want(pod.box.right == card.box.right - 2 * PAD - NIC)
        self._layout.below([pod.box for pod in pods], gap=GAP)
        self._layout.below([nic.box for nic in nics], gap=2)
        self._stand_in_pool(card, pods, nics)
        return card, pods, nics

    def _stand_in_pool(self, pool: Card, pods: Sequence[Card], nics: Sequence[Card]) -> None:
        for pod in pods:
            self._layout.inside(pool.box, pod.box, head=pool.head, sides=PAD)
            self._layout.want(pod.box.left == pool.box.left + PAD)
        for nic in nics:
            self._layout.inside(pool.box, nic.box, head=PAD, sides=PAD)
            self._layout.want(nic.box.right == pool.box.right - PAD, nic.box.width == NIC)

    def _pods(self, what: str, pods: Pods) -> Card:
        """One pod, with a square a GPU."""
        texts = [Text(what, HEADING), Text(_asked(pods))]
        if pods.gpus:
            texts.append(Text(f"NCCL by {pods.nccl}, its sockets on {pods.sockets}"))
        height = 2 * PAD + LINE * len(texts) + (ROW if pods.gpus else 0)
        card = self._card("pod", texts, height=height)
        squares = [Card(box=self._layout.box(width=22, height=12), look="gpu") for _ in range(pods.gpus)]
        card.inner.extend(squares)
        for square in squares:
            self._layout.inside(card.box, square.box, head=card.head, sides=PAD)
        if squares:
            self._layout.want(squares[0].box.left == card.box.left + PAD)
            self._layout.side_by_side([square.box for square in squares], gap=6)
        return card

    # Where the cards stand ---------------------------------------------------------------------------------------

    def _arrange(self) -> None:
        want, layout, ground = self._layout.want, self._layout, self.ground
        networks = (self.main, self.gvnic, self.rdma)
        left = [self.jobs, self.cluster, self.lustre] if self._site.jobs else [self.cluster, self.lustre]
        for card in (*left, *networks):
            layout.inside(ground.box, card.box, head=ground.head + EDGE, sides=EDGE)
            ground.inner.append(card)
        want(*(card.box.left == ground.box.left + EDGE for card in left))
        layout.below([card.box for card in left], gap=34)
        for card in networks:
            want(card.box.right == ground.box.right - EDGE - MARGIN, card.box.width == NETWORKS)
            want(self.cluster.box.right == card.box.left - CHANNEL)
        if self._site.jobs:
            want(self.jobs.box.right == ground.box.right - EDGE)
        want(self.lustre.box.right == self.cluster.box.right)
        want(self.main.box.top == self.cluster.box.top)
        layout.below([card.box for card in networks], gap=GAP)
        for pool in (self.cpu_pool, self.gpu_pool):
            layout.inside(self.cluster.box, pool.box, head=self.cluster.head, sides=PAD)
            want(pool.box.left == self.cluster.box.left + GUTTER, pool.box.right == self.cluster.box.right - PAD)
            self.cluster.inner.append(pool)
        layout.below([self.cpu_pool.box, self.gpu_pool.box], gap=GAP)
        want(self.lustre.box.top >= self.rdma.box.bottom + GAP)
        layout.level(self.cpu_nic.box, self.main_rows[0].box)
        for nic, row in self._pairs():
            layout.level(nic.box, row.box)

    def _pairs(self) -> Iterator[tuple[Card, Card]]:
        """Each interface of a worker beside the subnet that it leads to; not those in the cluster's own VPC."""
        rows = dict(zip((one.name for one in self._site.gvnic.subnets), self.gvnic_rows, strict=True))
        rows |= dict(zip((one.name for one in self._site.rdma.subnets), self.rdma_rows, strict=True))
        for interface, nic in zip(self._site.ray.workers.interfaces, self.gpu_nics, strict=True):
            if interface.subnet in rows:
                yield nic, rows[interface.subnet]

    # Lines between them ------------------------------------------------------------------------------------------

    def wires(self) -> Iterator[Wire]:
        """The lines; only once all cards have their places."""
        ray, lustre = self._site.ray, self.place(self.lustre)
        head, cluster, nodes = self.place(self.head), self.place(self.cluster), self.place(self.main_rows[0])
        gutter, channel = cluster.left + GUTTER // 2, cluster.right + CHANNEL // 2
        if self._site.jobs:
            jobs, entry = self.place(self.jobs), head.top + 14
            yield Wire(
                look="to-jobs",
                points=((gutter, jobs.bottom), (gutter, entry), (head.left, entry)),
                end="arrow",
                label="by HTTP to the Ray head",
                at=(gutter + 8, jobs.bottom + 21),
            )
        leave = head.bottom - 14
        yield Wire(
            look="to-lustre",
            points=((head.left, leave), (gutter, leave), (gutter, lustre.top)),
            end="arrow",
            label=f"mounted at {ray.mount} in every Ray pod",
            at=(gutter + 8, lustre.top - 13),
        )
        for worker in self.workers if ray.workers.count else ():
            middle = self.place(worker).middle
            yield Wire(look="to-lustre", points=((self.place(worker).left, middle), (gutter, middle)), end="dot")
        nic = self.place(self.cpu_nic)
        yield Wire(look="to-main", points=((nic.right, nic.middle), (nodes.left, nodes.middle)))
        paired = {id(nic) for nic, _ in self._pairs()}
        for card in self.gpu_nics:
            if id(card) not in paired:
                own = self.place(card)
                points = ((own.right, own.middle), (channel, own.middle), (channel, nodes.middle))
                yield Wire(look="to-main", points=points, end="dot")
        for card, row in self._pairs():
            own, other = self.place(card), self.place(row)
            points = ((own.right, own.middle), (other.left, other.middle))
            yield Wire(look=f"to-{card.look}", points=points)
        private, turn = self.place(self.main_rows[-1]), self.place(self.main).right + MARGIN // 2 + 2
        yield Wire(
            look="to-lustre",
            points=(
                (private.right, private.middle),
                (turn, private.middle),
                (turn, lustre.middle),
                (lustre.right, lustre.middle),
            ),
            end="arrow",
            label="private services access",
            at=(lustre.right + CHANNEL, lustre.middle - 7),
        )


def _asked(pods: Pods) -> str:
    """What a pod asks for."""
    shared = f", {pods.shared_memory:,} GiB shared" if pods.shared_memory else ""
    gpus = f", {pods.gpus} GPUs" if pods.gpus else ""
    return f"{pods.cpus} CPUs, {pods.memory:,} GiB{shared}{gpus}"


def _nic(interface: Interface) -> str:
    shown = "" if interface.network == "default" else f" {interface.network}"
    return f"{interface.device}{shown}"
