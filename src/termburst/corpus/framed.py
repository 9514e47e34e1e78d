"""The documents of a corpus in a frame of an engine: each question is asked where the frame is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, NoReturn

import polars as pl

from termburst.corpus.condition_groups import expression_of
from termburst.corpus.metadata import chosen_rows, chosen_values, column_of
from termburst.corpus.read_arguments import ReadArguments
from termburst.corpus.saved import check_same_words
from termburst.corpus.steps import Group, Step, Where
from termburst.counting.options import CountingOptions
from termburst.inference.checks import check_name
from termburst.messages import Message, named
from termburst.names import FITS, Fit
from termburst.options import options_of
from termburst.questions.dispersion import MORE, Dispersion
from termburst.questions.kwic import WIDTH, Kwic
from termburst.questions.term_table import TermTable
from termburst.reading.conditions import CONDITION, both_sides, is_condition
from termburst.statistics.term_statistics import TermStatistics

if TYPE_CHECKING:
    from termburst.questions.keyness import Keyness

IN_MEMORY = "tb.read(frame) reads it into memory, if it is small"
NO_ORDER = ("sort", "top")  # options of rows that are in an order
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def is_frame(source: Any) -> bool:
    """Whether it is a frame, also one of a library that is not supported, or one with several columns of one name.

    >>> is_frame(pl.LazyFrame({"text": ["so"]})), is_frame(["so"])
    (True, False)
    """
    import narwhals.stable.v2 as nw

    from termburst.engines.door import WAYS_ROUND

    try:
        known = isinstance(nw.from_native(source, pass_through=True), (nw.DataFrame, nw.LazyFrame))
    except nw.exceptions.DuplicateError:
        return True
    return known or type(source).__module__.partition(".")[0] in WAYS_ROUND


@dataclass(frozen=True, eq=False)
class Framed:
    """A frame of texts, counts or patterns in the place of documents. Answers are frames of the same engine.

    Rows are in no order, and each question counts the texts again. A question that needs documents in memory says so.

    Attributes
    ----------
    frame : native frame
    names : our names of columns to the frame's own, if they differ
    kind : "texts", "counts" or "patterns"
    counting : how texts are counted; None for counts and patterns
    """

    frame: Any = field(repr=False)
    names: dict[str, Any]
    kind: str
    counting: CountingOptions | None
    name = "the frame"
    is_counted = False
    is_slow = True

    @classmethod
    def of(cls, frame: Any, asked: ReadArguments) -> Framed:
        """Find out what a frame has, by its columns alone; ValueError for options that it has no use for."""
        from termburst.engines.door import opened, schema_of

        asked.refuse("a frame", keep=("text",))
        if asked.counting.pretokenized:
            which = named("pretokenized") if asked.tokenizer is None else named("tokenizer")
            raise ValueError(which + f" is not for a frame that is scanned; {IN_MEMORY}")
        schema, names = schema_of(frame), {}
        for option, ours in (("text", "text"), ("id", "document")):
            if (own := getattr(asked.reading, option)) is not None:
                _check_column(schema, own)
                names[ours] = own
        if "id" in schema and not {"document", "documents"} & {*schema, *names}:
            names["document"] = "id"
        names = {ours: own for ours, own in names.items() if ours != own}
        if names.get("text", "text") in schema and not {names.get("document", "document"), "term"} & set(schema):
            raise ValueError("documents of a frame need ids: name the column that has them with " + named("id"))
        kind = opened(frame, names, check=False).kind
        if kind != "texts":
            asked.refuse_words()
        return cls(frame, names, kind, asked.counting if kind == "texts" else None)

    @cached_property
    def statistics(self) -> TermStatistics:
        """The statistics with detail="patterns", in this process: memory follows the vocabulary."""
        from termburst.engines import term_statistics

        return term_statistics(self.frame, detail="patterns", counting=self.counting, **self.names)

    @property
    def size(self) -> int:
        """The number of documents."""
        return self.statistics.documents

    @property
    def engine(self) -> str:
        """The class of the frame, such as "polars.LazyFrame"."""
        kind = type(self.frame)
        return f"{kind.__module__.lstrip('_').partition('.')[0]}.{kind.__name__}"

    def __getattr__(self, name: str) -> NoReturn:
        """ValueError for what needs documents in memory."""
        if name.startswith("__") or hasattr(type(self), name):  # an error in a property of its own
            raise AttributeError(name)
        raise ValueError(f"this needs the documents in memory, but the frame stays where it is; {IN_MEMORY}")

    # Other documents

    def then(self, step: Step) -> Framed:
        """The documents after a step; ValueError for a step that needs them in memory."""
        if isinstance(step, Where):
            return self.where(step.condition)
        if not isinstance(step, Group):
            what = named(step.option, python=f"{step.option}()")
            raise ValueError(Message(what, f" needs the documents, but the frame stays where it is; {IN_MEMORY}"))
        if step.column in self._schema or not is_condition(step.column):
            _check_column(self._schema, step.column)
        else:
            expression_of(_empty(self._schema), step.column, "by")
        return self

    def where(self, condition: Any) -> Framed:
        """The documents that meet a condition, as a filter of the engine."""
        import narwhals.stable.v2 as nw

        from termburst.engines.frames import back_from_polars

        judged, like = self._judged(condition, "where")
        return replace(self, frame=back_from_polars(judged.filter(nw.col(CONDITION)).drop(CONDITION), like))

    # Questions

    def ask(self, function: str, asked: Any = None, **more: Any) -> Any:
        """The answer of a function of `termburst.engines`; ValueError for options of *asked* that it does not have."""
        from termburst import engines

        answer = getattr(engines, function)
        known = signature(answer).parameters.values()
        has = {one.name for one in known if one.kind is not Parameter.VAR_KEYWORD}
        for name, option in ({} if asked is None else options_of(asked.__class__)).items():
            value = getattr(asked, name)
            if name in has:
                more[name] = value
            else:
                refuse_option(name, value, option.default)
        if "counting" in has:
            more["counting"] = self.counting
        return answer(self.frame, **more, **self.names)

    def keyness(
        self,
        asked: Keyness,
        other: Any,
        *,
        reference: Any,
        by: str | None,
        groups: Any,
        contrasts: bool | None,
        **design: Any,
    ) -> Any:
        """`Corpus.keyness` with a frame of the same engine, by groups, or by a formula."""
        if reference is not None:
            raise ValueError("a frame has no reference=; tb.keyness(corpus.statistics, reference=...) compares it here")
        if other is not None:
            return self._with_another(asked, other)
        condition = by is not None and by not in self._schema and is_condition(by)
        if condition and (groups is not None or contrasts or any(one is not None for one in design.values())):
            of_its_own = " is a condition, whose two groups are compared as they are; make it a column of the frame"
            raise ValueError(named("by", by) + of_its_own)
        source = self
        if by is not None and condition:
            source, by = self._sides(by), CONDITION
        elif by is not None and groups is not None:
            source, by = self._chosen(by, groups, contrasts, any(one is not None for one in design.values()))
        return source.ask("keyness", asked, by=by, contrasts=contrasts, **design)

    def kwic(self, asked: Kwic) -> Any:
        """`Corpus.kwic`, with columns of the frame."""
        import narwhals.stable.v2 as nw

        for name in asked.needs:
            _check_column(self._schema, name)
        plain = replace(asked, columns=None, case=False, width=WIDTH if asked.width is None else asked.width)
        found = nw.from_native(self.ask("kwic", plain, ignore_case=not asked.case)).rename({"document": "id"})
        if asked.needs:
            frame, kind = nw.from_native(self.frame), found.collect_schema()["id"]
            ids = self._column(frame, self.names.get("document", "document")).cast(kind).alias("id")
            more = frame.select(ids, *(self._column(frame, name) for name in asked.needs))
            found = found.join(more, on="id", how="left")
        return nw.to_native(found)

    def dispersion(self, asked: Dispersion) -> Any:
        """`Corpus.dispersion`, for the measures that need neither the order of words nor single documents."""
        import narwhals.stable.v2 as nw

        for name in asked.names:
            if name in MORE:
                raise ValueError(f"{name} needs the documents, but the frame stays where it is; {IN_MEMORY}")
        return nw.to_native(nw.from_native(self.ask("dispersion", measures=asked.names)).drop("n", "b"))

    def term_table(self, *, fit: Fit, intervals: bool, **options: Any) -> Any:
        """`Corpus.term_table`: closed forms, the effects, and the estimates that *fit* names, joined by the engine."""
        import narwhals.stable.v2 as nw

        for name in ("penalty", "invalid", "parts", "sort", "min_count"):
            refuse_option(name, options.pop(name), options_of(TermTable)[name].default)
        check_name("fit", fit, FITS)
        table = nw.from_native(self.ask("term_table", **options))
        effects = nw.from_native(self.ask("burst_effects", intervals=intervals))
        columns = [name for name in table.collect_schema().names() if name not in ("term", "n", "b")]
        found = effects.join(table.drop("n", "b"), on="term", how="inner")
        estimates: tuple[str, ...] = ("alpha", "alpha_not", "status")
        if fit != "penalized":
            columns = [name for name in columns if name not in estimates]
            found = found.drop(*estimates)
        if fit == "exact":
            estimates = ("mean", *estimates)
            fits = nw.from_native(self.ask("fit_beta_binomial")).select("term", *estimates)
            found, columns = found.join(fits, on="term", how="inner"), [*columns, *estimates]
        return nw.to_native(found.select(*effects.collect_schema().names(), *columns))

    # What it takes from the frame

    @property
    def _schema(self) -> Any:
        from termburst.engines.door import schema_of

        return schema_of(self.frame)

    def _column(self, frame: Any, name: str) -> Any:
        """The column with exactly that name, of a frame that has the columns of this one."""
        from termburst.engines.door import column_of

        return column_of(frame, self._schema, name)

    def _judged(self, condition: Any, option: str) -> tuple[Any, Any]:
        """The frame as `in_polars` gives it, with one more column: whether a row meets a condition.

        NaN is no number: as null, it meets none.
        """
        import narwhals.stable.v2 as nw

        from termburst.engines.frames import in_polars

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
        frame, like = in_polars(nw.from_native(self.frame))
        floats = [self._column(frame, name).fill_nan(None) for name in names if schema[name].is_float()]
        return _with_condition(frame.with_columns(*floats) if floats else frame, condition, expression), like

    def _sides(self, by: str) -> Framed:
        """The frame with a column that says on which side of a condition a document is; A meets it."""
        import narwhals.stable.v2 as nw

        from termburst.engines.frames import to_polars

        judged, like = self._judged(by, "by")
        sizes = dict(to_polars(judged.group_by(CONDITION).agg(nw.len().alias("rows"))).rows())
        if None in sizes:
            nothing = f"{sizes[None]:,} rows have nothing in a column of " + named("by", bare=True)
            raise ValueError(nothing + f" {by!r:.60}; fill it, or remove such documents")
        if len(sizes) < 2:
            which = "every" if True in sizes else "no"
            alone = f"{which} document meets {by!r:.60}, so there is nothing to compare; choose another "
            raise ValueError(alone + named("by", bare=True))
        return self._of_two(judged, like, nw.col(CONDITION), both_sides(by))

    def _chosen(self, by: str, groups: Any, contrasts: bool | None, design: bool) -> tuple[Framed, str]:
        """The documents of some groups, and the column that has them: of two groups, the first is A."""
        import narwhals.stable.v2 as nw

        from termburst.engines.frames import back_from_polars, in_polars, to_polars

        _check_column(self._schema, by)
        frame, like = in_polars(nw.from_native(self.frame))
        column = self._column(frame, by)
        values = chosen_values(to_polars(frame.select(column).unique()), by, groups)
        frame = frame.filter(column.is_in(values))
        if design and [str(value) for value in values] != sorted(map(str, values)):
            raise ValueError("a design of a frame has its groups in the order of their names; give them in that order")
        if len(values) > 2 or contrasts or design:
            return replace(self, frame=back_from_polars(frame, like)), by
        return self._of_two(frame, like, column == values[0], (str(values[0]), str(values[1]))), CONDITION

    def _of_two(self, frame: Any, like: Any, is_a: Any, names: tuple[str, str]) -> Framed:
        """The frame with a column of two groups, whose names put the first one first."""
        import narwhals.stable.v2 as nw

        from termburst.engines.frames import back_from_polars

        a, b = (nw.lit(f"{side}: {name}") for side, name in zip("AB", names, strict=True))
        grouped = frame.with_columns(nw.when(is_a).then(a).otherwise(b).alias(CONDITION))
        return replace(self, frame=back_from_polars(grouped, like))

    def _with_another(self, asked: Keyness, other: Any) -> Any:
        another = getattr(other, "_documents", None)
        if not isinstance(another, Framed):
            raise ValueError(
                "a frame is compared with another one that is scanned, of the same engine; to compare it here with "
                "anything else, compare its statistics: tb.keyness(corpus.statistics, other)"
            )
        check_same_words("the first frame", self.counting, "the second", another.counting)
        both = (self, another)
        if self.names or another.names:  # the function takes one name for both
            both = (self._renamed(), another._renamed())
        counted = replace(both[0], counting=self.counting or another.counting)
        return counted.ask("keyness", asked, other=both[1].frame)

    def _renamed(self) -> Framed:
        import narwhals.stable.v2 as nw

        from termburst.engines.door import COLUMNS

        columns: Any = COLUMNS
        frame = nw.from_native(self.frame)
        kept = [self._column(frame, self.names.get(ours, ours)).alias(ours) for ours in columns[self.kind]]
        return replace(self, names={}, frame=nw.to_native(frame.select(*kept)))


def refuse_option(name: str, value: Any, default: Any) -> None:
    """ValueError for an option that questions to frames do not have, unless it has its default.

    >>> refuse_option("sort", "term", "p")
    Traceback (most recent call last):
    ValueError: sort= is not for a frame, whose answers have rows in no order; sort and limit the answer by its engine
    """
    if value == default or (name == "top" and not value):
        return
    advice = f"; omit it, or {IN_MEMORY}"
    if name in NO_ORDER:
        advice = ", whose answers have rows in no order; sort and limit the answer by its engine"
    raise ValueError(named(name) + " is not for a frame" + advice)


def _check_column(schema: Any, name: str) -> None:
    column_of(_empty(schema), name)


def _empty(schema: Any) -> pl.DataFrame:
    return pl.DataFrame(schema=dict.fromkeys(schema, pl.Null))


def _with_condition(frame: Any, condition: Any, expression: pl.Expr) -> Any:
    """The frame with a column that says whether a row meets a condition; the engine evaluates it."""
    import narwhals.stable.v2 as nw

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
