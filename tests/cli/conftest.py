"""Runs the command line inside of the tests."""

import pytest

from bricard.cli.main import main


@pytest.fixture
def bricard(capsys):
    """Run the command line here: (exit code, standard output, standard error)."""

    def call(*arguments):
        with pytest.raises(SystemExit) as exit_:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return exit_.value.code or 0, captured.out, captured.err

    return call
