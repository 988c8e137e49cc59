package com.wookler.river.rest.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.wookler.river.rest.server.RiverServer;
import com.wookler.river.testing.Generated;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Holds the components and methods of the settings to the contract, from which they are made. */
class SettingsTest {
  private static final Path SOURCES = Path.of("src/main/java/com/wookler/river/rest/client");
  private static final int COLUMNS = 100;

  /** A property of a schema. */
  private record Property(String name, JsonNode schema) {
    /** Its type in Java. */
    String type() {
      String ref = schema.path("$ref").asText("").replaceFirst(".*/", "");
      if (!ref.isEmpty()) {
        return ref.equals("Name") ? "String" : ref;
      }
      return switch (schema.path("type").asText()) {
        case "boolean" -> "Boolean";
        case "integer" -> schema.path("format").asText().equals("int64") ? "Long" : "Integer";
        case "string" -> "String";
        default -> name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
      };
    }

    /** As a parameter of a method, which needs no null. */
    String parameter() {
      return switch (type()) {
        case "Boolean" -> "boolean";
        case "Long" -> "long";
        case "Integer" -> "int";
        default -> type();
      };
    }

    String sentence() {
      String words =
          schema.path("description").asText().trim().replaceAll("`([^`]*)`", "{@code $1}");
      return words + (words.endsWith(".") ? "" : ".");
    }
  }

  private static List<Property> properties(String schema) throws IOException {
    try (InputStream in = RiverServer.class.getResourceAsStream("/openapi.yaml")) {
      JsonNode contract = new YAMLMapper().readTree(Objects.requireNonNull(in));
      List<Property> all = new ArrayList<>();
      for (Map.Entry<String, JsonNode> each :
          contract.at("/components/schemas/" + schema + "/properties").properties()) {
        all.add(new Property(each.getKey(), each.getValue()));
      }
      return all;
    }
  }

  @Test
  void shouldHaveThePropertiesOfTheContract() throws IOException {
    for (String name : List.of("QueueSettings", "SubscriberSettings", "ForwardSettings")) {
      Path file = SOURCES.resolve(name + ".java");
      List<Property> all = properties(name);
      Generated.hold(file, "have the server's defaults.", " */", documented(all));
      Generated.hold(file, "public record " + name + "(", "  /**", components(all));
      Generated.hold(
          file, "  public static final class Builder {", "private Builder()", fields(all));
      Generated.hold(
          file, "    private Builder() {}", "    /** Returns the settings. */", setters(all));
      String names = all.stream().map(Property::name).collect(Collectors.joining(", "));
      String line = "      return new " + name + "(" + names + ");";
      if (line.length() <= COLUMNS) { // as the formatter has it
        Generated.hold(file, "    public " + name + " build() {", "    }", List.of(line));
      } else {
        Generated.hold(file, "      return new " + name + "(", "    }", arguments(all));
      }
    }
  }

  private static List<String> documented(List<Property> all) {
    List<String> lines = new ArrayList<>(List.of(" *"));
    for (Property each : all) {
      String sentence = decapitalize(each.sentence());
      wrap(lines, " * @param " + each.name(), " *    ", sentence.replaceAll("\\.$", ""));
    }
    return lines;
  }

  private static String decapitalize(String sentence) {
    return sentence.substring(0, 1).toLowerCase(Locale.ROOT) + sentence.substring(1);
  }

  private static List<String> components(List<Property> all) {
    List<String> lines = new ArrayList<>();
    for (Property each : all) {
      lines.add("    @Nullable " + each.type() + " " + each.name() + ",");
    }
    close(lines, ") {");
    lines.add("");
    return lines;
  }

  private static List<String> fields(List<Property> all) {
    List<String> lines = new ArrayList<>();
    for (Property each : all) {
      lines.add("    private @Nullable " + each.type() + " " + each.name() + ";");
    }
    lines.add("");
    return lines;
  }

  private static List<String> setters(List<Property> all) {
    List<String> lines = new ArrayList<>(List.of(""));
    for (Property each : all) {
      String sentence = "Sets {@code " + each.name() + "}: " + decapitalize(each.sentence());
      String line = "    /** " + sentence + " */";
      if (line.length() <= COLUMNS) {
        lines.add(line);
      } else {
        lines.add("    /**");
        wrap(lines, "     *", "     *", sentence);
        lines.add("     */");
      }
      lines.add("    public Builder " + each.name() + "(" + each.parameter() + " value) {");
      lines.add("      " + each.name() + " = value;");
      lines.add("      return this;");
      lines.add("    }");
      lines.add("");
    }
    return lines;
  }

  private static List<String> arguments(List<Property> all) {
    List<String> lines = new ArrayList<>();
    all.forEach(each -> lines.add("          " + each.name() + ","));
    close(lines, ");");
    return lines;
  }

  private static void close(List<String> lines, String end) {
    int last = lines.size() - 1;
    lines.set(last, lines.get(last).replaceAll(",$", "") + end);
  }

  /** Adds lines of words as the formatter breaks them. */
  private static void wrap(List<String> lines, String first, String others, String text) {
    StringBuilder line = new StringBuilder(first);
    for (String word : Arrays.asList(text.split(" +", -1))) {
      if (line.length() + 1 + word.length() > COLUMNS) {
        lines.add(line.toString());
        line = new StringBuilder(others);
      }
      line.append(' ').append(word);
    }
    lines.add(line.toString());
  }
}
