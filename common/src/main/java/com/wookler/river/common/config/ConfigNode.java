package com.wookler.river.common.config;

import com.wookler.river.common.errors.ConfigurationException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An element of a configuration: its attributes, its text, the elements in it, and its parameters,
 * which are the {@code <param name="…" value="…"/>} in its {@code <params>}. All {@code ${…}} and
 * includes are resolved. Immutable.
 *
 * <p>Every error is a {@link ConfigurationException} that names the file, the line, the element,
 * the parameter, the value found and what is allowed.
 */
public final class ConfigNode {
  private static final String PARAMS = "params";
  private static final String PARAM = "param";

  private final XmlElement node;
  private final String path;
  private final String location;
  private final List<ConfigNode> children;
  private final Map<String, Param> params;

  /**
   * Creates a view of a node.
   *
   * @param parentPath the path of the element around it; empty for the root
   */
  ConfigNode(XmlElement node, String parentPath) {
    this.node = node;
    this.path = parentPath.isEmpty() ? node.name() : parentPath + "." + node.name();
    this.location = node.location();
    List<ConfigNode> nodes = new ArrayList<>();
    for (XmlElement child : node.children()) {
      nodes.add(new ConfigNode(child, path));
    }
    this.children = Collections.unmodifiableList(nodes);
    this.params = readParams(children(PARAMS));
  }

  /** Returns the name of the element. */
  public String name() {
    return node.name();
  }

  /** Returns the names of the elements from the root to this one, joined by dots. */
  public String path() {
    return path;
  }

  /**
   * Returns where the element starts, as {@code orders.xml:12}. An included file is given relative
   * to the first one.
   */
  public String location() {
    return location;
  }

  /**
   * Finds an element below this one. The names in the path are separated by dots, or by slashes
   * (and then may contain dots); the path may start with this node's own name. If several match,
   * the first is returned.
   *
   * @return null if there is none
   */
  public @Nullable ConfigNode search(String path) {
    String separator = path.indexOf('/') >= 0 ? "/" : "\\.";
    List<String> names =
        Arrays.stream(path.trim().split(separator)).filter(part -> !part.isEmpty()).toList();
    ConfigNode found = find(names);
    if (found == null && names.get(0).equals(name())) {
      found = find(names.subList(1, names.size()));
    }
    return found;
  }

  private @Nullable ConfigNode find(List<String> names) {
    if (names.isEmpty()) {
      return this;
    }
    for (ConfigNode child : children) {
      if (child.name().equals(names.get(0))) {
        ConfigNode found = child.find(names.subList(1, names.size()));
        if (found != null) {
          return found;
        }
      }
    }
    return null;
  }

  /**
   * Finds an element below this one, as {@link #search} does.
   *
   * @throws ConfigurationException there is no such element
   */
  public ConfigNode at(String path) {
    ConfigNode found = search(path);
    if (found == null) {
      throw error("there is no element '" + path + "' in it");
    }
    return found;
  }

  /** Returns the first child element of this name. */
  public Optional<ConfigNode> child(String name) {
    return children.stream().filter(child -> child.name().equals(name)).findFirst();
  }

  /** Returns the child elements of this name, in their order. */
  public List<ConfigNode> children(String name) {
    return children.stream().filter(child -> child.name().equals(name)).toList();
  }

  /** Returns all child elements in their order, including {@code <params>}. */
  public List<ConfigNode> children() {
    return children;
  }

  /** Returns the value of an attribute. */
  public Optional<String> attribute(String name) {
    return Optional.ofNullable(node.attributes().get(name));
  }

  /** Returns the value of a required attribute, which must not be blank. */
  public String requireAttribute(String name) {
    return attribute(name)
        .filter(value -> !value.isBlank())
        .orElseThrow(() -> error("attribute '" + name + "' is required and must not be blank"));
  }

  /**
   * Returns the text directly in this element, without surrounding white space; empty if there is
   * none.
   */
  public String text() {
    return node.text();
  }

  /** Returns the names of the parameters, in their order. */
  public Set<String> paramNames() {
    return params.keySet();
  }

  /** Returns the value of a parameter, unparsed. */
  public Optional<String> param(String name) {
    return Optional.ofNullable(params.get(name)).map(Param::value);
  }

  /** Returns the value of a required parameter, which must not be blank. */
  public String requireParam(String name) {
    String value = param(name).orElseThrow(() -> error(name, "is required"));
    if (value.isBlank()) {
      throw error(name, "must not be blank");
    }
    return value;
  }

  /** Returns a parameter that is true or false, ignoring case. */
  public boolean bool(String name, boolean dflt) {
    return typed(name, dflt, "true or false", ConfigNode::parseBoolean);
  }

  /** Returns a parameter that is a whole number in the range of an int. */
  public int integer(String name, int dflt) {
    return typed(
        name, dflt, "a whole number from -2147483648 to 2147483647", WholeNumbers::parseInt);
  }

  /** Returns a parameter that is a whole number in the range of a long. */
  public long number(String name, long dflt) {
    return typed(name, dflt, "a whole number", WholeNumbers::parse);
  }

  /** Returns a parameter that is a duration, as {@link Durations} parses it. */
  public Duration duration(String name, Duration dflt) {
    return typed(name, dflt, Durations.ALLOWED, Durations::parse);
  }

  /** Returns a parameter that is a size in bytes, as {@link Sizes} parses it. */
  public long bytes(String name, long dflt) {
    return typed(name, dflt, Sizes.ALLOWED, Sizes::parse);
  }

  /**
   * Returns a parameter that is a path, relative to the working directory if it is relative. Its
   * existence is not checked.
   */
  public Optional<Path> file(String name) {
    if (!params.containsKey(name)) {
      return Optional.empty();
    }
    requireParam(name);
    return Optional.of(typed(name, Path.of(""), "a path", Path::of));
  }

  private <T> T typed(String name, T dflt, String allowed, Function<String, T> parser) {
    Param param = params.get(name);
    if (param == null) {
      return dflt;
    }
    try {
      return parser.apply(param.value().trim());
    } catch (IllegalArgumentException e) {
      throw error(name, "'" + param.value() + "' is not allowed; it must be " + allowed);
    }
  }

  private static Boolean parseBoolean(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException(text);
    };
  }

  /**
   * Checks that there are no other parameters than these.
   *
   * @throws ConfigurationException names the first unknown parameter and the nearest known name
   */
  public void allowParams(Collection<String> known) {
    for (String name : params.keySet()) {
      if (!known.contains(name)) {
        throw error(name, "is unknown; " + NameSuggestions.suggest(name, known));
      }
    }
  }

  /**
   * Checks that there are no other child elements than these and {@code <params>}.
   *
   * @throws ConfigurationException names the first unknown element and the nearest known name
   */
  public void allowChildren(Collection<String> known) {
    for (ConfigNode child : children) {
      if (!known.contains(child.name()) && !child.name().equals(PARAMS)) {
        throw child.error(
            "is unknown in <" + name() + ">; " + NameSuggestions.suggest(child.name(), known));
      }
    }
  }

  /**
   * Checks that there are no other attributes than these.
   *
   * @throws ConfigurationException names the first unknown attribute and the nearest known name
   */
  public void allowAttributes(Collection<String> known) {
    for (String name : node.attributes().keySet()) {
      if (!known.contains(name)) {
        throw error("attribute '" + name + "' is unknown; " + NameSuggestions.suggest(name, known));
      }
    }
  }

  /**
   * Creates an error about a parameter of this element, which may be missing. The caller throws it.
   */
  public ConfigurationException error(String param, String what) {
    return error(param, what, null);
  }

  /** Creates an error about this element. The caller throws it. */
  public ConfigurationException error(String what) {
    return new ConfigurationException(location + ": " + element() + ": " + what);
  }

  /**
   * Adds the location to an error about a value of this element that was validated elsewhere: the
   * line of the parameter that the error names first, or that of the element if it names none. An
   * error that has a location already is returned unchanged.
   */
  public ConfigurationException located(ConfigurationException e) {
    String text = String.valueOf(e.getMessage());
    if (text.contains(location.substring(0, location.lastIndexOf(':') + 1))) {
      return e;
    }
    Param named = named(text);
    String where = named == null ? location : named.location();
    return new ConfigurationException(where + ": " + text, e);
  }

  /**
   * Returns the parameter that a text names first: one of this element, else the only one below it.
   */
  private @Nullable Param named(String text) {
    Param found = null;
    int first = Integer.MAX_VALUE;
    for (Map.Entry<String, Param> param : params.entrySet()) {
      int at = indexOfName(text, param.getKey());
      if (at >= 0 && at < first) {
        first = at;
        found = param.getValue();
      }
    }
    if (found != null) {
      return found;
    }
    List<Param> below =
        children.stream().map(child -> child.named(text)).filter(Objects::nonNull).toList();
    return below.size() == 1 ? below.get(0) : null;
  }

  /** Returns the index of the name in the text, where it is not part of a longer name; or -1. */
  private static int indexOfName(String text, String name) {
    Matcher found =
        Pattern.compile("(?<![\\w.])" + Pattern.quote(name) + "(?!\\.?\\w)").matcher(text);
    return found.find() ? found.start() : -1;
  }

  ConfigurationException error(@Nullable String param, String what, @Nullable Throwable cause) {
    Param written = param == null ? null : params.get(param);
    String where = written == null ? location : written.location();
    String about = param == null ? "" : ", parameter '" + param + "'";
    String message = where + ": " + element() + about + ": " + what;
    return cause == null
        ? new ConfigurationException(message)
        : new ConfigurationException(message, cause);
  }

  /**
   * Creates an object of the class in this element's {@code class} attribute, with its public
   * constructor without parameters, and configures it with this element if it is {@link
   * Configurable}.
   *
   * @throws ConfigurationException the class does not exist, is not a {@code type}, or cannot be
   *     instantiated
   */
  public <T> T instantiate(Class<T> type) {
    return ObjectFactory.create(this, null, requireAttribute("class"), type);
  }

  /**
   * Creates an object of the class in a required parameter, as {@link #instantiate} does.
   *
   * @throws ConfigurationException the class does not exist, is not a {@code type}, or cannot be
   *     instantiated
   */
  public <T> T instantiateParam(String param, Class<T> type) {
    return ObjectFactory.create(this, param, requireParam(param), type);
  }

  /**
   * Returns the class that a required attribute names.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException there is no such class, or it is
   *     no {@code type}
   */
  public <T> Class<? extends T> classAttribute(String name, Class<T> type) {
    return ObjectFactory.find(this, null, requireAttribute(name), type);
  }

  /** Returns the element and its location: {@code <queue name="orders"> at orders.xml:12}. */
  @Override
  public String toString() {
    return element() + " at " + location;
  }

  private String element() {
    return attribute("name")
        .map(value -> "<" + name() + " name=\"" + value + "\">")
        .orElseGet(() -> "<" + name() + ">");
  }

  private static Map<String, Param> readParams(List<ConfigNode> blocks) {
    Map<String, Param> found = new LinkedHashMap<>();
    for (ConfigNode block : blocks) {
      for (ConfigNode each : block.children()) {
        if (!each.name().equals(PARAM)) {
          throw each.error(
              "is unknown in <params>; only <param name=\"…\" value=\"…\"/> is allowed");
        }
        String name = each.requireAttribute("name");
        String value =
            each.attribute("value").orElseThrow(() -> each.error("attribute 'value' is required"));
        Param earlier = found.putIfAbsent(name, new Param(value, each.location()));
        if (earlier != null) {
          throw each.error("is given twice; the first is at " + earlier.location());
        }
      }
    }
    return Collections.unmodifiableMap(found);
  }

  private record Param(String value, String location) {}
}
