package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.testing.MarkdownPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds docs/troubleshooting.md to the texts of exceptions in the code of all modules. */
class TroubleshootingDocTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern MAIN_CODE = Pattern.compile("/src/main/java/.*[.]java$");
  private static final Pattern OTHERS =
      Pattern.compile("^[.][.]/(benchmarks|crash|testing|examples|test)/|/target/");
  private static final Pattern EXCEPTION =
      Pattern.compile(
          "new (RiverException|QueueFullException|MessageTooLargeException|QueueClosedException"
              + "|QueueFailedException|QueueLockedException|QueueStatusException"
              + "|DamagedMessageException|DamagedException|StaleReceiptException"
              + "|ConflictException|ConfigurationException|IllegalArgumentException"
              + "|IllegalStateException|UnsupportedOperationException)\\("
              // made by a method that adds where: the place in a file, or the method of a listener
              + "|(?:throw|return) (?:[a-z]\\w*[.])?(?:error|wrong|refused)\\("
              + "|wrong[.]apply\\(");
  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\n]|\\\\.)*)\"");
  private static final Pattern CODE = Pattern.compile("`([^`]*)`");
  private static final Pattern WORDS = Pattern.compile("\\p{L}{2,}[^\\p{L}]+\\p{L}{2,}");
  private static final String ANY = "…";

  /** Returns the texts of a file's exceptions, with … for what is not in the code. */
  private static List<String> messages(String source) {
    List<String> found = new ArrayList<>();
    Matcher made = EXCEPTION.matcher(source);
    while (made.find()) {
      String arguments = source.substring(made.end(), end(source, made.end()));
      StringBuilder text = new StringBuilder();
      int last = -1;
      for (MatchResult literal : LITERAL.matcher(arguments).results().toList()) {
        if (last >= 0 && !arguments.substring(last, literal.start()).matches("[\\s+]*")) {
          text.append(ANY);
        }
        text.append(literal.group(1));
        last = literal.end();
      }
      String message = text.toString().replaceAll("%[,0]*[a-z]", ANY);
      if (WORDS.matcher(message.replace("queue", "")).find()) {
        found.add(message);
      }
    }
    return found;
  }

  /** Returns where the parenthesis ends that was opened before an index. */
  private static int end(String source, int from) {
    int depth = 1;
    boolean inText = false;
    for (int i = from; i < source.length(); i++) {
      char c = source.charAt(i);
      if (inText && c == '\\') {
        i++;
      } else if (c == '"') {
        inText = !inText;
      } else if (!inText && c == '(') {
        depth++;
      } else if (!inText && c == ')' && --depth == 0) {
        return i;
      }
    }
    throw new AssertionError("a parenthesis does not end");
  }

  private static List<String> sources() throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> code =
        Files.find(ROOT, 20, (file, is) -> MAIN_CODE.matcher(file.toString()).find())) {
      for (Path file : code.filter(each -> !OTHERS.matcher(each.toString()).find()).toList()) {
        found.add(Files.readString(file));
      }
    }
    return found;
  }

  private static List<String> rows() throws IOException {
    return new MarkdownPage(ROOT.resolve("docs/troubleshooting.md"))
        .tableRows().stream()
            .filter(row -> row.startsWith("| `"))
            .map(row -> row.substring(0, row.indexOf(" | ")))
            .flatMap(cell -> CODE.matcher(cell).results())
            .map(code -> code.group(1))
            .toList();
  }

  private static boolean matches(String row, String message) {
    int at = 0;
    for (String part : row.split(ANY, -1)) {
      int found = message.indexOf(part.strip(), at);
      if (found < 0) {
        return false;
      }
      at = found + part.strip().length();
    }
    return true;
  }

  @Test
  void shouldHaveARowForEachMessage() throws IOException {
    List<String> rows = rows();
    List<String> messages = sources().stream().flatMap(each -> messages(each).stream()).toList();

    assertThat(messages).hasSizeGreaterThan(400);
    assertThat(messages)
        .filteredOn(message -> rows.stream().noneMatch(row -> matches(row, message)))
        .as("texts of exceptions without a row in docs/troubleshooting.md")
        .isEmpty();
  }

  @Test
  void shouldHaveNoRowForAMessageThatIsNotThere() throws IOException {
    List<String> sources = sources();
    List<String> texts =
        Stream.concat(
                sources.stream().flatMap(each -> messages(each).stream()),
                sources.stream().map(TroubleshootingDocTest::literals))
            .toList();

    assertThat(rows())
        .filteredOn(row -> texts.stream().noneMatch(text -> matches(row, text)))
        .as("rows of docs/troubleshooting.md of which no code has the text")
        .isEmpty();
  }

  private static String literals(String source) {
    StringBuilder all = new StringBuilder();
    LITERAL.matcher(source).results().forEach(each -> all.append(each.group(1)));
    return all.toString();
  }
}
