"""README.md, `domain/games/README.md` and the pages of `service/web/docs`, typed as a reader would:
every command in order, and what the page shows is compared with what comes.

How to write a page:

- A `console` block is typed. Lines that begin with `$ ` are commands; the lines below a command are
  what it prints. A command may go on over several lines, as it may in a shell: after a backslash,
  within quotes, in a here-document. A comment after a command is a comment.
- A `text` block, or one without a language, is not typed. Use it for what cannot be: the machine of
  an operator, a stream without an end. `sh`, `bash` and the like are refused.
- A block with a file name after its language, as in `python bot.py`, becomes that file.
- A block in an HTML comment (`<!--` and `-->` on lines of their own) is typed, and not shown: for
  what a reader has from an earlier page.
- A page is one bash session in a fresh copy of the checkout, with `.venv`. A server runs there, its
  store in `data`; on the page its address is `http://127.0.0.1:8000` or `http://localhost:8000`.
  On a page that types `make serve` (or `arbiter serve`) the server starts there, with what has been
  exported, and again each time; on other pages before the first command. What it printed is the
  first output of the session.
- A command must exit with status 0. If another is expected, say so on the page: `; echo $?`.
  `curl` must not be refused, unless the problem is shown: `"code":"…"`.
- Output that is shown must be all that is printed, on both channels. `…` stands for anything, also
  for several lines. White space stands for any or none; an RFC 3339 time stands for any. A command
  without output shown may print what it likes.
- In output shown, `arb_org_…`, `arb_s0_…` and the like stand for a key of that kind, and `01a1…`
  (four hexadecimal digits) for an id. Typed later, they are what they stood for last. One that has
  not been shown is the first in the newest output that has one.
- What would take minutes is typed in a short form, or only looked up: `INSTEAD` in `running.py`
  says what, and why.
"""
