package com.wookler.river.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The recipe for a container that a page of the documentation shows: its Dockerfile, the commands
 * before it, and how it is run.
 */
final class ContainerRecipe {
  private static final Pattern BLOCK = Pattern.compile("(?s)```([a-z]*)\n(.*?)```");
  private static final Pattern VARIABLE = Pattern.compile("([A-Z_]+)=(\\S+)");
  private static final Pattern TIMEOUT = Pattern.compile("--timeout=([0-9]+)s");

  private final List<Instruction> instructions = new ArrayList<>();
  private final List<String> commands;
  private final String run;

  /** An instruction of a Dockerfile. */
  private record Instruction(String name, String text) {}

  /** Files of the checkout, and where they are in the image. */
  record Copy(String from, String to) {}

  /** Reads the recipe below a heading. */
  ContainerRecipe(Path page, String heading) throws IOException {
    String section =
        Files.readString(page).split("\n## " + heading + "\n", 2)[1].split("\n## ", 2)[0];
    Map<String, String> blocks = new LinkedHashMap<>();
    Matcher found = BLOCK.matcher(section);
    while (found.find()) {
      assertThat(blocks.put(found.group(1), found.group(2).replaceAll(" *\\\\\n *", " "))).isNull();
    }
    for (String line : blocks.get("dockerfile").lines().toList()) {
      String[] parts = line.split(" ", 2);
      instructions.add(new Instruction(parts[0], parts[1]));
    }
    commands = blocks.get("sh").lines().toList();
    run = blocks.get("").lines().filter(line -> line.startsWith("docker run ")).findFirst().get();
  }

  private List<String> all(String name) {
    return instructions.stream()
        .filter(each -> each.name().equals(name))
        .map(Instruction::text)
        .toList();
  }

  private String only(String name) {
    List<String> all = all(name);
    assertThat(all).as(name).hasSize(1);
    return all.get(0);
  }

  /** The commands that are run before the image is built. */
  List<String> commands() {
    return commands;
  }

  /** What is run in the image when it is built, but for what installs packages. */
  List<String> buildCommands() {
    return all("RUN").stream()
        .flatMap(each -> Arrays.stream(each.split(" && ", -1)))
        .map(String::trim)
        .filter(each -> !each.startsWith("apt-get ") && !each.startsWith("rm -rf /var/lib/apt"))
        .toList();
  }

  List<Copy> copies() {
    return all("COPY").stream()
        .map(each -> each.split(" ", 2))
        .map(each -> new Copy(each[0], each[1]))
        .toList();
  }

  int user() {
    return Integer.parseInt(only("USER"));
  }

  String volume() {
    return only("VOLUME");
  }

  /** The variables of the image. */
  Map<String, String> environment() {
    return variables(only("ENV"));
  }

  /** The variables that the documented start adds. */
  Map<String, String> documentedEnvironment() {
    return variables(run);
  }

  /** How the container is started. */
  String run() {
    return run;
  }

  /** Returns the variables that a text sets. */
  static Map<String, String> variables(String text) {
    Map<String, String> variables = new LinkedHashMap<>();
    VARIABLE.matcher(text).results().forEach(each -> variables.put(each.group(1), each.group(2)));
    return variables;
  }

  /** The command line of the server. */
  List<String> commandLine() throws IOException {
    List<String> line = new ArrayList<>(strings(only("ENTRYPOINT")));
    line.addAll(strings(only("CMD")));
    return line;
  }

  private static List<String> strings(String json) throws IOException {
    List<String> strings = new ArrayList<>();
    try (JsonParser parser = new JsonFactory().createParser(json)) {
      while (parser.nextToken() != null) {
        if (parser.currentToken() == JsonToken.VALUE_STRING) {
          strings.add(parser.getText());
        }
      }
    }
    return strings;
  }

  String healthCheck() {
    return only("HEALTHCHECK").replaceFirst(".* CMD ", "");
  }

  /** The time after which a health check has failed. */
  Duration healthCheckTimeout() {
    Matcher timeout = TIMEOUT.matcher(only("HEALTHCHECK"));
    assertThat(timeout.find()).isTrue();
    return Duration.ofSeconds(Long.parseLong(timeout.group(1)));
  }
}
