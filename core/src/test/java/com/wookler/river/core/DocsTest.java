package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.testing.MarkdownPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds every page of the project to what makes it readable. */
class DocsTest {
  private static final Path ROOT = Path.of("..");
  private static final int LONGEST_ROW = 300;
  private static final Map<Path, String> PROSE = new TreeMap<>();
  private static final Pattern UNUSED = Pattern.compile("[*]{2}([^*]+)[*]{2}");
  private static final Pattern CODE = Pattern.compile("`[^`]*`");
  private static final Pattern NAME_PART = Pattern.compile("(?<=[a-z])(?=[A-Z])");
  private static final Pattern MAIN_CODE =
      Pattern.compile("/src/main/(java/.*[.]java|resources/.*[.](yaml|xml|xsd))$");

  static List<Path> pages() throws IOException {
    try (Stream<Path> root = Files.list(ROOT);
        Stream<Path> modules = Files.find(ROOT, 2, (file, is) -> file.endsWith("README.md"));
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.of(root, modules, docs)
          .flatMap(files -> files)
          .filter(file -> file.toString().endsWith(".md"))
          .distinct()
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void shouldHaveShortRowsInTables(Path page) throws IOException {
    assertThat(new MarkdownPage(page).tableRows())
        .filteredOn(row -> row.length() > LONGEST_ROW)
        .as("rows of more than %s characters", LONGEST_ROW)
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void shouldLinkToWhatIsThere(Path page) throws IOException {
    assertThat(new MarkdownPage(page).brokenLinks()).isEmpty();
  }

  /** Maven 3.8 takes a compiler plugin that ignores maven.compiler.release. */
  @ParameterizedTest
  @MethodSource("pages")
  void shouldPinThePluginsOfAShownPom(Path page) throws IOException {
    String plugin =
        "(?s)<artifactId>maven-compiler-plugin</artifactId>\\s*<version>([^<]*)</version>";
    String root = Files.readString(ROOT.resolve("pom.xml"));
    String version =
        Pattern.compile(plugin).matcher(root).results().findFirst().orElseThrow().group(1);
    Pattern.compile("(?s)<project[ >].*?</project>")
        .matcher(Files.readString(page))
        .results()
        .forEach(
            pom ->
                assertThat(Pattern.compile(plugin).matcher(pom.group()).results())
                    .as("the compiler plugin of the pom in %s", page)
                    .extracting(found -> found.group(1))
                    .containsExactly(version));
  }

  static Stream<String> unusedWords() throws IOException {
    return Files.readAllLines(ROOT.resolve("docs/glossary.md")).stream()
        .filter(line -> line.startsWith("| "))
        .flatMap(line -> UNUSED.matcher(line).results())
        .map(word -> word.group(1))
        .distinct();
  }

  /**
   * In names too, whose parts count as words; but not in names of tests, which pages show as code.
   */
  @ParameterizedTest
  @MethodSource("unusedWords")
  void shouldUseNoWordThatTheGlossaryRejects(String word) throws IOException {
    Pattern any = Pattern.compile("\\b" + Pattern.quote(word) + "s?\\b", Pattern.CASE_INSENSITIVE);
    List<String> found = new ArrayList<>();
    prose()
        .forEach(
            (file, text) ->
                any.matcher(text)
                    .results()
                    .filter(match -> !isOfProtocol(match.group(), file))
                    .forEach(match -> found.add(file + ": " + match.group())));
    assertThat(found).as("use the word of docs/glossary.md instead of '%s'", word).isEmpty();
  }

  /** Kestrel's name for acknowledging is a command that its clients send. */
  private static boolean isOfProtocol(String word, Path file) {
    return word.equals("confirm")
        && (file.toString().contains("/rest/server/memcache/")
            || file.endsWith("benchmarks/programs/MemcacheQueue.java"));
  }

  /** By file, without code in pages, and with names taken apart; read once. */
  private static Map<Path, String> prose() throws IOException {
    if (PROSE.isEmpty()) {
      for (Path file : texts()) {
        String text = Files.readString(file);
        String prose = hasCode(file) ? CODE.matcher(text).replaceAll("") : text;
        PROSE.put(file, NAME_PART.matcher(prose).replaceAll(" "));
      }
    }
    return PROSE;
  }

  private static boolean hasCode(Path file) {
    return file.toString().endsWith(".md") || file.toString().endsWith(".yaml");
  }

  private static List<Path> texts() throws IOException {
    try (Stream<Path> code =
        Files.find(ROOT, 20, (file, is) -> MAIN_CODE.matcher(file.toString()).find())) {
      return Stream.concat(
              code.filter(file -> !file.toString().contains("/target/")),
              pages().stream()
                  .filter(page -> !page.toString().contains("/adr/"))
                  .filter(page -> !page.endsWith("glossary.md") && !page.endsWith("CHANGELOG.md")))
          .toList();
    }
  }
}
