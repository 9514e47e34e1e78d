"""The documents of a corpus in a frame of an engine: each question is asked where the frame is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import narwhals.stable.v2 as nw
import polars as pl

from termburst.backends import documents
from termburst.backends.check_stages import check_in_stages
from termburst.backends.collection import Collection
from termburst.backends.frame_input import Kind, entered, opened, schema_of
from termburst.backends.frame_input import column_of as expression_for
from termburst.backends.frames import COUNTED, is_spark, returned, to_polars
from termburst.backends.run import run
from termburst.corpus.frames import as_polars
from termburst.corpus.metadata import chosen_rows, chosen_values, column_of, expression_of
from termburst.corpus.read_arguments import ReadArguments
from termburst.corpus.saved import check_same_words
from termburst.corpus.steps import Step
from termburst.counting.options import CountingOptions, checked_counting
from termburst.display import no_column
from termburst.inference.dispersion import checked_measures
from termburst.inference.plr import warn_of_clamped
from termburst.messages import Message, named
from termburst.options import options_of
from termburst.questions.burstiness_plan import BurstinessPlan, DispersionPlan, FitPlan
from termburst.questions.collocates_plan import CollocatesPlan
from termburst.questions.design_plan import DesignPlan
from termburst.questions.dispersion import MORE
from termburst.questions.keyness_plans import keyness_plan
from termburst.questions.sides import Sides, column_formula
from termburst.questions.term_table_plan import ClosedForms, TermTablePlan
from termburst.questions.weigh_plan import WeighPlan
from termburst.reading.conditions import CONDITION, both_sides, is_condition
from termburst.statistics.term_statistics import TermStatistics

if TYPE_CHECKING:
    from termburst.questions.burstiness_test import Burstiness
    from termburst.questions.check import Check
    from termburst.questions.collocates import Collocates
    from termburst.questions.corpus_check import CorpusCheck
    from termburst.questions.dispersion import Dispersion
    from termburst.questions.fits import Fits
    from termburst.questions.keyness import Keyness
    from termburst.questions.kwic import Kwic
    from termburst.questions.plans import TermsPlan
    from termburst.questions.term_table import TermTable
    from termburst.questions.weights import Weigh

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


@dataclass(frozen=True, eq=False)
class Framed:
    """A frame of texts, counts or patterns in the place of documents. Answers are frames of the same engine.

    What was counted is kept for the next question. A question that needs documents in memory says so.

    Attributes
    ----------
    frame : native and lazy: a frame in memory has become a lazy one of Polars
    names : our names of columns to the frame's own, if they differ
    kind : "texts", "counts" or "patterns"
    counting : how texts are counted; None for counts and patterns
    like : the frame that was given, if it is in memory: answers are such frames, too
    checked : whether the frame is known to have no null, negative and duplicate entries
    """

    frame: Any = field(repr=False)
    names: dict[str, Any]
    kind: str
    counting: CountingOptions | None
    like: Any = field(default=None, repr=False)
    checked: bool = False
    name = "the frame"
    is_counted = False
    in_engine = True

    @classmethod
    def of(cls, frame: Any, asked: ReadArguments) -> Framed:
        """Find out what a frame has, by its columns alone; ValueError for options that it has no use for."""
        asked.refuse("a frame", keep=("text",))
        if asked.counting.pretokenized:
            which = named("pretokenized") if asked.tokenizer is None else named("tokenizer")
            raise ValueError(which + f" is not for a frame that is scanned; {way_round('texts')}")
        schema, names = schema_of(frame), {}
        for option, ours in (("text", "text"), ("id", "document")):
            if (own := getattr(asked.reading, option)) is not None:
                _check_column(schema, own)
                names[ours] = own
        free = {*schema} - {*names.values()}  # a column "document" that has the texts has no ids
        has_texts = names.get("text", "text") in schema and "term" not in schema
        if "id" in free and "document" not in names and (has_texts or not {"document", "documents"} & free):
            names["document"] = "id"  # as tb.read does
        names = {ours: own for ours, own in names.items() if ours != own}
        if names.get("text", "text") in schema and not {names.get("document", "document"), "term"} & set(schema):
            raise ValueError("documents of a frame need ids: name the column that has them with " + named("id"))
        kind = opened(frame, names, check=False).kind
        if kind != "texts":
            asked.refuse_words()
        like = entered(frame)
        if isinstance(like, nw.DataFrame):
            local: Any = as_polars(frame)
            return cls(local.lazy(), names, kind, asked.counting if kind == "texts" else None, like)
        return cls(frame, names, kind, asked.counting if kind == "texts" else None)

    @cached_property
    def collection(self) -> Collection:
        """The documents, counted once for several questions."""
        return Collection(self.frame, self.names, self.counting, checked=self.checked)

    @cached_property
    def statistics(self) -> TermStatistics:
        """The statistics with detail="patterns", in this process: memory follows the vocabulary."""
        return self.collection.statistics

    @property
    def size(self) -> int:
        """The number of documents."""
        return self.statistics.documents

    @property
    def engine(self) -> str:
        """The class of the frame, such as "polars.LazyFrame"."""
        kind = type(self.frame if self.like is None else nw.to_native(self.like))
        return f"{kind.__module__.lstrip('_').partition('.')[0]}.{kind.__name__}"

    def __getattr__(self, name: str) -> NoReturn:
        """ValueError for what needs documents in memory."""
        if name.startswith("__") or hasattr(type(self), name):  # an error in a property of its own
            raise AttributeError(name)
        raise ValueError(f"this needs the documents in memory, but the frame stays where it is; {way_round(self.kind)}")

    # Other documents

    def then(self, step: Step) -> Framed:
        """The documents after a step; ValueError for a step that needs them in memory."""
        if step.option == "where":
            return self.where(step.condition)
        if step.option != "group":
            what = named(step.option, python=f"{step.option}()")
            raise ValueError(
                Message(what, f" needs the documents, but the frame stays where it is; {way_round(self.kind)}")
            )
        if step.condition in self._schema or not is_condition(step.condition):
            _check_column(self._schema, step.condition)
        else:
            expression_of(_empty(self._schema), step.condition, "by")
        return self

    def where(self, condition: Any) -> Framed:
        """The documents that meet a condition, as a filter of the engine."""
        return self._with(self._judged(condition, "where").filter(nw.col(CONDITION)).drop(CONDITION))

    def _with(self, frame: Any) -> Framed:
        """Other columns, or fewer documents, which need not be checked again.

        Patterns must be: without the batch they were withdrawn from, the numbers of withdrawn ones are below 0.
        """
        return replace(self, frame=nw.to_native(frame), checked=self.collection.checked and self.kind != "patterns")

    # Questions

    def burstiness(self, asked: Burstiness) -> Any:
        """`Corpus.burstiness`."""
        return self._run(BurstinessPlan(self._in_any_order(asked)))

    def term_table(self, asked: TermTable) -> Any:
        """`Corpus.term_table`."""
        asked, found = self._in_any_order(asked), self.collection
        self._refuse(asked, "invalid")
        if ClosedForms.can(asked):
            plan = ClosedForms(asked, found.lengths_of(found.counts))
            table = returned(documents.closed_forms(plan, found.counts), self.like)
        else:
            table = self._run(TermTablePlan(asked, quiet=True))
        if self.like is not None:
            self._warn_of_clamped(asked, table)
        return table

    def _warn_of_clamped(self, asked: TermTable, table: Any) -> None:
        """Warn of terms that repeat too often for the penalty, if the table is in memory and says which they are."""
        local = to_polars(nw.from_native(table))
        if asked.penalty == "gamma" and asked.fit == "penalized":
            bad = local.filter(status="invalid")["term"]
            if bad.len():
                own = self.collection.lengths_of(self.collection.counts)
                mu = own.mean_length if asked.mu is None else asked.mu
                warn_of_clamped(bad.len(), local.height, f"{bad.min()!r:.60}", mu, asked.sigma2, asked.form)

    def fit_beta_binomial(self, asked: Fits) -> Any:
        """`Corpus.fit_beta_binomial`."""
        return self._run(FitPlan(asked.sort))

    def dispersion(self, asked: Dispersion) -> Any:
        """`Corpus.dispersion`, for the measures that need neither the order of words nor single documents."""
        for name in asked.names:
            if name in MORE:
                raise ValueError(f"{name} needs the documents, but the frame stays where it is; {way_round(self.kind)}")
        plan = DispersionPlan(asked.sort, tuple(checked_measures(asked.names)))
        return returned(self.collection.run(plan).drop("n", "b"), self.like)

    def keyness(self, asked: Keyness, sides: Sides, other: Any, reference: Any) -> Any:
        """`Corpus.keyness` with a frame of the same engine, by groups, or by a formula."""
        asked = self._in_any_order(asked)
        if reference is not None:
            raise ValueError("a frame has no reference=; tb.keyness(corpus.statistics, reference=...) compares it here")
        if other is not None:
            return self._with_another(asked, other)
        source, column, order = self, sides.by, None
        if sides.by is not None and sides.by not in self._schema and is_condition(sides.by):
            if sides.groups is not None or sides.contrasts or sides.has_design:
                of_its_own = " is a condition, whose two groups are compared as they are; make it a column of the frame"
                raise ValueError(named("by", sides.by) + of_its_own)
            source, column = self._sides(sides.by), CONDITION
        elif sides.by is not None and sides.groups is not None:
            source, chosen = self._chosen(sides.by, sides.groups)
            order = chosen if len(chosen) == 2 and not sides.contrasts else None  # of two, the first is A
            if sides.has_design and chosen != sorted(chosen):
                in_order = "a design of a frame has its groups in the order of their names; give them in that order"
                raise ValueError(in_order)
        if sides.has_design:
            formula = column_formula(str(column)) if sides.formula is None else sides.formula
            return source._by_formula(asked, formula, **sides.design)
        parts, corpora, few = source.collection.groups(str(column), order)
        plan = keyness_plan(asked, [name for name, *_ in corpora], sides.contrasts)
        return returned(run(plan, parts, corpora, few=few), self.like)

    def _by_formula(self, asked: Keyness, formula: str, contrast: Any, cluster: str | None, strata: str | None) -> Any:
        plan = DesignPlan(asked, formula, strata, contrast)
        if not plan.columns:
            raise ValueError(f"the formula {formula!r:.60} names no column of the frame")
        found = self.collection.design(plan, cluster)
        plan, groups = plan.placed(found, cluster)
        return returned(run(plan, found.parts, groups, few=found.few), self.like)

    def kwic(self, asked: Kwic) -> Any:
        """`Corpus.kwic`, with columns of the frame."""
        asked = self._in_any_order(asked)
        self._refuse(asked, "layer", "show")
        self._needs("texts")
        frame = nw.from_native(self.frame)
        own = {"id": self.names.get("document", "document"), "text": self.names.get("text", "text")}
        known = _empty([name for name in self._schema if name != own["text"]])
        for name in asked.needs:
            column_of(known, name)
        ids, texts = (self._column(frame, name) for name in own.values())
        columns = {name: self._column(frame, name) for name in asked.needs}
        return returned(documents.kwic(asked, self.collection, ids, texts, columns), self.like)

    def collocates(self, asked: Collocates) -> Any:
        """`Corpus.collocates`."""
        asked = self._in_any_order(asked)
        self._refuse(asked, "include_node")
        plan = CollocatesPlan(asked, checked_counting(self.counting))
        found = documents.collocates(plan, self.collection)
        rows = min(asked.top or 0, 2**31 - 1)  # the most that every engine can count
        return returned(found.head(rows) if rows else found, self.like)

    def check(self, asked: Check) -> CorpusCheck:
        """`Corpus.check`; the answer is in this process."""
        self._needs("texts")
        frame, ids = nw.from_native(self.frame), self.names.get("document", "document")
        leave = (ids, self.names.get("text", "text"), "document")
        others = [self._column(frame, name) for name in self._schema if name not in leave]
        metadata = frame.select(self._column(frame, ids).alias("document"), *others)
        return check_in_stages(asked, self.collection.opened(("texts",)).frame, metadata, self.counting)

    def weights(self, asked: Weigh) -> Any:
        """`Corpus.weights`, as a frame of document, term, weight."""
        self._refuse(asked, "invalid")
        self._needs("texts", "counts")
        plan = WeighPlan.of(asked, self.collection.lengths_of(self.collection.documents))
        return returned(documents.weigh(plan, self.collection, warn=self.like is not None), self.like)

    def count_rows(self) -> Any:
        """`Corpus.count_rows`."""
        return returned(self.collection.count_rows(), self.like)

    def patterns(self, batch: str | None) -> Any:
        """`Corpus.patterns`."""
        found = returned(self.collection.pattern_rows(batch), self.like)
        if self.counting is not None:
            COUNTED.put(found, checked_counting(self.counting))
        return found

    def _run(self, plan: TermsPlan) -> Any:
        return returned(self.collection.run(plan), self.like)

    def _refuse(self, asked: Any, *names: str) -> None:
        """ValueError for options that questions to frames do not have, unless they have their defaults."""
        for name in names:
            if getattr(asked, name) != options_of(asked.__class__)[name].default:
                raise ValueError(named(name) + f" is not for a frame; omit it, or {way_round(self.kind)}")

    def _needs(self, *kinds: Kind) -> None:
        """ValueError that says what is missing, for a frame of another kind."""
        if self.kind not in kinds:
            self.collection.opened(kinds)

    def _in_any_order(self, asked: Any) -> Any:
        """The options; on Spark rows are in no order, because sorting is a shuffle, and others are refused."""
        if not is_spark(nw.from_native(self.frame)):
            return asked
        for name in ("sort", "top"):
            option = options_of(asked.__class__).get(name)
            if option is not None and getattr(asked, name) not in (option.default, None, 0):
                advice = " is not for Spark, where sorting is a shuffle; sort and limit the answer by its engine"
                raise ValueError(named(name) + advice)
        return asked

    # What it takes from the frame

    @property
    def _schema(self) -> Any:
        return schema_of(self.frame)

    def _column(self, frame: Any, name: str) -> Any:
        """The column with exactly that name, of a frame that has the columns of this one."""
        return expression_for(frame, self._schema, name)

    def _judged(self, condition: Any, option: str) -> Any:
        """The frame with one more column: whether a row meets a condition. NaN is no number: as null, it meets none."""
        schema = self._schema
        empty = _empty(schema)
        expression = expression_of(empty, condition, option) if isinstance(condition, str) else condition
        names = expression.meta.root_names()
        for name in names:
            column_of(empty, name)
            if self.kind != "texts" and name in ("term", "count", "length", "documents"):
                raise ValueError(f"a condition chooses documents, but {name!r} says something about a term; omit it")
        typed = nw.Schema({name: schema[name] for name in names}).to_polars()
        chosen_rows(pl.DataFrame(schema=typed), expression)  # refuses wrong types now, not when rows are read
        frame = nw.from_native(self.frame)
        floats = [self._column(frame, name).fill_nan(None) for name in names if schema[name].is_float()]
        return _with_condition(frame.with_columns(*floats) if floats else frame, condition, expression)

    def _sides(self, by: str) -> Framed:
        """The frame with a column that says on which side of a condition a document is; A meets it."""
        judged = self._judged(by, "by")
        sizes = dict(to_polars(judged.group_by(CONDITION).agg(nw.len().alias("rows"))).rows())
        if None in sizes:
            nothing = f"{sizes[None]:,} rows have nothing in a column of " + named("by", bare=True)
            raise ValueError(nothing + f" {by!r:.60}; fill it, or remove such documents")
        if len(sizes) < 2:
            which = "every" if True in sizes else "no"
            alone = f"{which} document meets {by!r:.60}, so there is nothing to compare; choose another "
            raise ValueError(alone + named("by", bare=True))
        a, b = (nw.lit(f"{side}: {name}") for side, name in zip("AB", both_sides(by), strict=True))  # A comes first
        return self._with(judged.with_columns(nw.when(nw.col(CONDITION)).then(a).otherwise(b).alias(CONDITION)))

    def _chosen(self, by: str, groups: Any) -> tuple[Framed, list[str]]:
        """The documents of some groups, and the names of these in the order in which they were given."""
        _check_column(self._schema, by)
        frame = nw.from_native(self.frame)
        column = self._column(frame, by)
        values = chosen_values(to_polars(frame.select(column).unique()), by, groups)
        return self._with(frame.filter(column.is_in(values))), [str(value) for value in values]

    def _with_another(self, asked: Keyness, other: Any) -> Any:
        another = getattr(other, "_documents", None)
        if not isinstance(another, Framed):
            raise ValueError(
                "a frame is compared with another one that is scanned, of the same engine; to compare it here with "
                "anything else, compare its statistics: tb.keyness(corpus.statistics, other)"
            )
        if self.engine != another.engine:
            raise ValueError(f"both frames must be of one engine; got a {self.engine} and a {another.engine}")
        check_same_words("the first frame", self.counting, "the second", another.counting)
        parts, groups, few = self.collection.beside(another.collection)
        return returned(run(keyness_plan(asked), parts, groups, few=few), self.like)


def way_round(kind: str) -> str:
    """What to do instead, for a question that needs documents in memory.

    >>> way_round("patterns")
    'tb.read takes no frame of patterns: give it the texts'
    """
    if kind == "texts":
        return "tb.read(frame) reads it into memory, if it is small"
    return f"tb.read takes no frame of {kind}: give it the texts"


def _check_column(schema: Any, name: str) -> None:
    if name not in schema:
        raise ValueError(no_column(name, schema, whose="the frame"))


def _empty(schema: Iterable[str]) -> pl.DataFrame:
    return pl.DataFrame(schema=dict.fromkeys(schema, pl.Null))


def _with_condition(frame: Any, condition: Any, expression: pl.Expr) -> Any:
    """The frame with a column that says whether a row meets a condition; the engine evaluates it."""
    native, kind = nw.to_native(frame), frame.implementation
    if kind.is_polars():
        return nw.from_native(native.with_columns(expression.alias(CONDITION)))
    if not isinstance(condition, str):
        raise ValueError("where takes a condition as text on this engine, such as where('year >= 1945')")
    try:
        if kind.is_duckdb():
            return nw.from_native(native.project(f"*, (\n{condition}\n) as {CONDITION}"))
        return nw.from_native(native.selectExpr("*", f"(\n{_QUOTED.sub(_in_spark, condition)}\n) as {CONDITION}"))
    except Exception as error:  # each engine has classes of its own
        raise ValueError(f"the engine cannot evaluate {condition!r:.60}: {str(error).splitlines()[0]:.200}") from error


def _in_spark(quoted: re.Match[str]) -> str:
    r"""A name or a text of a condition as Spark writes it, where double quotes are text and a backslash escapes.

    >>> _QUOTED.sub(_in_spark, "\"the year\" > 5 AND party = 'x'")
    "`the year` > 5 AND party = 'x'"
    """
    return f"`{quoted[0][1:-1]}`" if quoted[0][0] == '"' else quoted[0].replace("\\", "\\\\")
