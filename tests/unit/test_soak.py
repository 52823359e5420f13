"""How a soak tells growth from noise."""

from tests.soak.samples import Course, Sample, courses, picture, table

HOUR = 3600


def course(*, threads: float = 0.0, handles: float = 0.0, resident: float = 0.0) -> Course:
    """Return an hour of a process that grows by so much in all, one sample a minute, with some noise."""
    return Course(
        "program",
        [
            Sample(
                seconds=60.0 * minute,
                process="program",
                threads=round(10 + threads * minute / 60),
                handles=round(20 + handles * minute / 60 + minute % 2),
                resident=200.0 + resident * minute / 60 + 5.0 * (minute % 3),
            )
            for minute in range(61)
        ],
    )


def test_a_process_that_stays_as_it_is_has_not_grown() -> None:
    """Noise is no growth, and neither is what happens in the first quarter."""
    steady = course()
    assert steady.growth() == []
    warm = [sample for sample in steady.samples if sample.seconds > HOUR / 5]
    cold = [Sample(0.0, "program", 1, 2, 50.0), *warm]
    assert Course("program", cold).growth() == []


def test_each_sort_of_growth_is_found() -> None:
    """Ten threads, ten handles or a hundred megabytes an hour are growth, and each is named."""
    assert course(threads=10).growth() == ["program: threads from 14 to 19"]
    assert course(handles=20).growth()[0].startswith("program: handles")
    grown = course(resident=100)
    assert grown.growth()[0].startswith("program: resident")
    assert 95 < grown.slope < 105


def test_table_and_picture_have_every_process() -> None:
    """One row and one line each."""
    samples = [Sample(10.0 * n, name, 5, 6, 100.0 + n) for n in range(20) for name in ("chat", "jobs")]
    assert [each.process for each in courses(samples)] == ["chat", "jobs"]
    assert "| chat | 5 → 5 | 6 → 6 |" in table(samples)
    assert picture(samples, [60.0]).count("<polyline") == 2
