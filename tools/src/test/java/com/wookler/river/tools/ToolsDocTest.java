package com.wookler.river.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Holds docs/tools.md and ./river to the commands: what is in one of them only fails. */
class ToolsDocTest extends ToolsFixture {
  private static final Path DOC = Path.of("..", "docs", "tools.md");
  private static final Path SCRIPT = Path.of("..", "river");
  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

  private String doc;
  private Map<String, CommandLine> commands;

  @BeforeEach
  void read() throws IOException {
    doc = Files.readString(DOC);
    commands = new LinkedHashMap<>(Main.commands());
    commands.remove("help");
  }

  /** The rows of the table of commands, each its cells. */
  private List<List<String>> rows() {
    return doc.substring(doc.indexOf("| command | takes |"))
        .lines()
        .takeWhile(line -> line.startsWith("|"))
        .skip(2)
        .map(line -> Arrays.stream(line.split("(?<!\\\\)\\|")).skip(1).map(String::trim).toList())
        .toList();
  }

  private static List<String> quoted(String cell) {
    return QUOTED.matcher(cell).results().map(found -> found.group(1)).toList();
  }

  @Test
  void shouldHaveEveryCommandWithItsOptionsAndNoOther() {
    Map<String, Set<String>> documented =
        rows().stream()
            .collect(
                Collectors.toMap(
                    row -> quoted(row.get(0)).get(0), row -> new TreeSet<>(quoted(row.get(2)))));
    Map<String, Set<String>> known =
        commands.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, entry -> options(entry.getValue())));

    assertThat(documented).isEqualTo(known);
  }

  private static Set<String> options(CommandLine command) {
    return command.getCommandSpec().options().stream()
        .filter(option -> !option.usageHelp() && !option.versionHelp())
        .map(OptionSpec::longestName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void shouldNameWhatEachCommandTakes() {
    for (List<String> row : rows()) {
      CommandLine command = commands.get(quoted(row.get(0)).get(0));
      String label = command.getCommandSpec().positionalParameters().get(0).paramLabel();
      assertThat(quoted(row.get(1)).get(0).replace("\\|", "|")).isEqualTo(label);
      assertThat(doc).contains("## " + command.getCommandName() + "\n");
    }
  }

  @Test
  void shouldBeInTheScript() throws IOException {
    String script = Files.readString(SCRIPT);

    assertThat(script).contains(String.join(" | ", commands.keySet()) + ")");
    for (String command : commands.keySet()) {
      assertThat(script).containsPattern("(?m)^  " + command + " [A-Z]");
    }
  }

  @Test
  void shouldHelpInEachCommandAndRefuseAnEmptyPath() {
    for (String command : commands.keySet()) {
      assertThat(run(command, "--help")).isZero();
      assertThat(out()).contains("Usage: river " + command);
      assertThat(run(command, "")).isEqualTo(Main.EXIT_ERROR); // of a variable that is not set
      assertThat(err()).startsWith(command + ": ").contains("it is empty").hasLineCount(1);
    }
    assertThat(run("salvage", "queue", "--to", "")).isEqualTo(Main.EXIT_ERROR);
    assertThat(err()).contains("--to", "it is empty");
  }

  @Test
  void shouldSayWhichVersionItIs() throws IOException, InterruptedException {
    for (String flag : List.of("-V", "--version")) {
      assertThat(run(flag)).isZero();
      assertThat(out().strip()).isEqualTo(Main.VERSION);
      assertThat(run("verify", flag)).isZero();
      assertThat(out().strip()).isEqualTo(Main.VERSION);
      Process script = new ProcessBuilder("sh", SCRIPT.toString(), flag).start();
      assertThat(script.inputReader().readLine()).isEqualTo(Main.VERSION);
      assertThat(script.waitFor()).isZero();
    }
  }

  @Test
  void shouldQuoteAnswersAsTheyAre() throws IOException {
    makeQueue();
    Path block = files(own(), "b00000003.cq4").get(0);
    flip(block, find(block, "message 24"));

    run("verify", own());
    String[] answer = out().split("\n");
    assertThat(answer[0]).matches(likeQuoted("damaged: restored"));
    assertThat(answer[1]).matches(likeQuoted("restored/flights: 20 blocks"));
    run("salvage", own(), "--to", directory.resolve("saved"));
    answer = out().split("\n");
    assertThat(answer[0]).matches(likeQuoted("lost: sequences 2448"));
    assertThat(answer[1]).matches(likeQuoted("/tmp/demo/saved/flights"));
  }

  /** The line of the page that begins so, with any numbers and paths in it. */
  private String likeQuoted(String beginning) {
    String line =
        doc.lines().filter(quoted -> quoted.startsWith(beginning)).findFirst().orElseThrow();
    return Arrays.stream(line.split("[\\w/.-]*/[\\w/.-]+|[\\d,]+\\d|\\d", -1))
        .map(Pattern::quote)
        .collect(Collectors.joining("[\\w/.,-]+"));
  }
}
