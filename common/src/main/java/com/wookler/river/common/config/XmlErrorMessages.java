package com.wookler.river.common.config;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Translates messages of the JDK's XML parser and schema validator into River's. */
final class XmlErrorMessages {
  private static final Pattern EXPECTED = Pattern.compile("\\{([^{}]*)\\}(?=[^{}]*$)");
  private static final Pattern QUOTED = Pattern.compile("['\"]([^'\"]*)['\"]");
  private static final Pattern CODE = Pattern.compile("^(?:cvc-[\\w.-]+|JAXP\\d+): ");
  private static final List<String> ATTRIBUTES =
      List.of("name", "class", "expression", "value", "file", "queue", "subscriber");

  private XmlErrorMessages() {}

  /**
   * Translates an error of the schema validator. Its messages are in the language of the JVM, so
   * only the code and the names in them are used.
   *
   * @param element the element with the error
   * @param parent the element that contains it
   * @return null if another error reports the same
   */
  static @Nullable String ofSchema(String given, String element, String parent) {
    String said = given.replace("\"\":", "");
    String code = said.substring(0, Math.max(0, said.indexOf(':')));
    return switch (code) {
      case "cvc-pattern-valid", "cvc-datatype-valid.1.2.3" -> null; // cvc-attribute.3 follows
      case "cvc-attribute.3" ->
          "attribute '" + named(said, ATTRIBUTES::contains) + "' must not be blank";
      case "cvc-complex-type.2.1" -> "nothing may be in it";
      case "cvc-complex-type.2.3" -> "no text may be in it";
      case "cvc-complex-type.2.4.a" -> unknown(element, expected(said), parent);
      case "cvc-complex-type.2.4.b" -> "it needs " + String.join(" and ", missing(element, said));
      case "cvc-complex-type.2.4.d" -> "is not allowed here, in <" + parent + ">, or not again";
      case "cvc-complex-type.3.2.2" ->
          attribute(named(said, name -> !name.equals(element)), element);
      case "cvc-complex-type.4" ->
          "attribute '" + named(said, name -> !name.equals(element)) + "' is required";
      default -> CODE.matcher(said).replaceFirst("");
    };
  }

  private static String named(String said, Predicate<String> which) {
    return QUOTED
        .matcher(said)
        .results()
        .map(found -> found.group(1))
        .filter(which)
        .findFirst()
        .orElse("?");
  }

  private static String unknown(String name, List<String> expected, String parent) {
    String tag = "<" + name + ">";
    String where = "in <" + parent + ">";
    if (expected.contains(tag)) {
      return "is not allowed here, " + where;
    }
    return NameSuggestions.nearest(tag, expected)
        .map(near -> "is unknown " + where + "; did you mean " + near + "?")
        .orElseGet(
            () -> "is not allowed " + where + "; allowed here are " + String.join(", ", expected));
  }

  private static String attribute(String name, String element) {
    if (ATTRIBUTES.contains(name)) {
      return "attribute '" + name + "' is not allowed in <" + element + ">";
    }
    Optional<String> near = NameSuggestions.nearest(name, ATTRIBUTES);
    return "attribute '"
        + name
        + "' is unknown"
        + near.map(known -> "; did you mean '" + known + "'?").orElse("");
  }

  /** Returns the missing elements that are required; the validator also names optional ones. */
  private static List<String> missing(String element, String said) {
    List<String> required =
        element.equals("env") ? List.of("<monitor>", "<task-manager>") : List.of("<params>");
    List<String> missing = expected(said).stream().filter(required::contains).toList();
    return missing.isEmpty() ? expected(said) : missing;
  }

  private static List<String> expected(String said) {
    Matcher found = EXPECTED.matcher(said);
    return !found.find()
        ? List.of()
        : Arrays.stream(String.valueOf(found.group(1)).split("[, ]+"))
            .map(name -> "<" + name + ">")
            .filter(name -> !name.equals("<include>"))
            .toList();
  }

  /**
   * Translates an error of the parser: the document is not XML, or uses a feature that is disabled.
   */
  static String ofDocument(String said) {
    if (said.contains("DOCTYPE")) {
      return "a DOCTYPE is not allowed";
    }
    if (said.startsWith("Premature end of file") || said.contains("within the same entity")) {
      return "is not well-formed: the file ends before its first element does";
    }
    if (said.contains("not allowed in prolog")) {
      return "is not well-formed: there is text before the first element";
    }
    if (said.contains("not allowed in trailing section") || said.contains("root element must be")) {
      return "is not well-formed: there is content after the first element; there may be only one";
    }
    return "is not well-formed: " + CODE.matcher(said).replaceFirst("");
  }
}
