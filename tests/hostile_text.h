// Texts that try to be more than text, for tests of whatever writes or prints what others wrote.
#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

namespace plimsoll {

/// Pieces that mean something to some shell, parser, terminal or spreadsheet, in any order. No NUL,
/// which no file system and no command line can carry.
inline rc::Gen<std::string> hostile_text() {
  static const std::vector<std::string> pieces{"\n",
                                               "\r",
                                               "\t",
                                               "'",
                                               "\"",
                                               "\\",
                                               "`id`",
                                               "$(id)",
                                               "${HOME}",
                                               "; id",
                                               "| id",
                                               "> file",
                                               "&&",
                                               ": ",
                                               " #",
                                               "{{ x }}",
                                               "- ",
                                               "---\n",
                                               "--x",
                                               "-",
                                               "=1+1",
                                               "@x",
                                               "+x",
                                               "[",
                                               "]",
                                               "{",
                                               "}",
                                               ",",
                                               "*",
                                               "&a",
                                               "!!int",
                                               "%",
                                               "<b>",
                                               "</script>",
                                               "]]>",
                                               "<!--",
                                               "true",
                                               "null",
                                               "1e3",
                                               "0x1",
                                               " ",
                                               "a",
                                               "Model-7B",
                                               "\xC3\xA9",
                                               "~",
                                               "\x1b[31m",
                                               "\x1b]52;c;eA==\x07",
                                               "\x7F",
                                               "\xC2\x9B",
                                               "\xE2\x80\xAE",
                                               "\xE2\x81\xA6",
                                               "\xE2\x80\xA8",
                                               "\xF0\x9F\x9A\xA2",
                                               "?"};
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces)),
                      [](const std::vector<std::string>& chosen) {
                        std::string text;
                        for (const std::string& piece : chosen) text += piece;
                        return text;
                      });
}

}  // namespace plimsoll
