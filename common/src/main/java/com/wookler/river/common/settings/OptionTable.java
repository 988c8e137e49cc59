package com.wookler.river.common.settings;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The options of one element of the configuration, in the order of the documentation. It does not
 * change once the class that holds it is initialized.
 */
public final class OptionTable {
  private static final Logger LOG = LoggerFactory.getLogger(OptionTable.class);

  private final String of;
  private String element;
  private boolean ended; // set when the class that holds the table is initialized
  private final Map<String, Option<?>> rows = new LinkedHashMap<>();
  private final Map<String, List<String>> withoutEffect = new HashMap<>();

  /** Makes the table of the element of this name. */
  public OptionTable(String element) {
    this.of = element;
    this.element = element;
  }

  /** Says that the rows from here on are parameters of another element. */
  public void element(String name) {
    ensureOpen();
    element = name;
  }

  /** Ends the table: from now on nothing of it changes. */
  public void end() {
    ended = true;
  }

  void ensureOpen() {
    if (ended) {
      throw new IllegalStateException("the options of a " + of + " do not change");
    }
  }

  String element() {
    return element;
  }

  int size() {
    return rows.size();
  }

  /** Adds a row of any type. */
  public <T> Option<T> add(String name, OptionType<T> type) {
    return add(name, type, null);
  }

  private <T> Option<T> add(String name, OptionType<T> type, @Nullable Option<T> other) {
    ensureOpen();
    Option<T> row = new Option<>(this, name, type, other);
    rows.put(name, row);
    return row;
  }

  /** Adds a row that gives the value of another one in another form. */
  public <T> Option<T> alias(String name, OptionType<T> type, Option<T> other) {
    return add(name, type, other);
  }

  /** Adds an option that is on or off. */
  public Option<Boolean> flag(String name, boolean dflt) {
    return add(name, OptionType.BOOLEAN).dflt(String.valueOf(dflt)).allowed("true, false");
  }

  /** Adds a whole number of something. */
  public Option<Long> number(String name, String unit) {
    return add(name, OptionType.number(unit));
  }

  /** Adds a number of bytes. */
  public Option<Long> bytes(String name) {
    return add(name, OptionType.BYTES);
  }

  /** Adds a duration. */
  public Option<Duration> duration(String name) {
    return add(name, OptionType.DURATION);
  }

  /** Adds a choice. */
  public <E extends Enum<E>> Option<E> constant(String name, E dflt) {
    List<String> names = new ArrayList<>();
    for (E each : dflt.getDeclaringClass().getEnumConstants()) {
      names.add(each.name());
    }
    return add(name, OptionType.constant(dflt.getDeclaringClass()))
        .dflt(dflt.name())
        .allowed(String.join(", ", names));
  }

  /** Adds the name of a queue. */
  public Option<String> queue(String name) {
    return add(name, OptionType.of(OptionType.Json.NAME, "–", "", text -> text))
        .allowed("see [Names](#names)");
  }

  /** Adds any text. */
  public Option<String> text(String name) {
    return add(name, OptionType.of(OptionType.Json.TEXT, "–", "", text -> text));
  }

  /** Adds a file or a directory. */
  public Option<Path> path(String name) {
    return add(name, OptionType.PATH);
  }

  /** Names a parameter that is accepted, and changes nothing. */
  public void withoutEffect(String name) {
    ensureOpen();
    withoutEffect.computeIfAbsent(element, of -> new ArrayList<>()).add(name);
  }

  /** Returns all rows. */
  public List<Option<?>> rows() {
    return List.copyOf(rows.values());
  }

  /** Returns the row of this name. */
  public Optional<Option<?>> row(String name) {
    return Optional.ofNullable(rows.get(name));
  }

  /** Returns the names of the parameters of an element. */
  public List<String> names(String of) {
    return rows.values().stream().filter(row -> row.isOf(of)).map(Option::name).toList();
  }

  /** Returns the names of the parameters that are accepted, and change nothing. */
  public List<String> namesWithoutEffect(String of) {
    return List.copyOf(withoutEffect.getOrDefault(of, List.of()));
  }

  /** Returns the values where nothing is given. */
  public Settings defaults() {
    return new Settings(this);
  }

  /**
   * Reads what {@link Settings#texts} has written; what is missing has its default.
   *
   * @throws RiverException it has an option that is unknown here, so a newer River wrote it
   * @throws IllegalArgumentException a value cannot be read
   */
  public Settings restore(Map<String, String> texts) {
    Settings settings = defaults();
    for (Map.Entry<String, String> each : texts.entrySet()) {
      Option<?> row = rows.get(each.getKey());
      if (row == null) {
        throw new RiverException(each.getKey() + " is unknown; a newer River wrote it");
      }
      settings = restore(row, each.getValue(), settings);
    }
    return settings;
  }

  private static <T> Settings restore(Option<T> row, String text, Settings to) {
    return to.with(row, row.type().restore(text));
  }

  /** Returns the names that an element may have: of its options, of those without effect, more. */
  public List<String> allowed(String of, List<String> more) {
    List<String> all = new ArrayList<>(names(of));
    all.addAll(namesWithoutEffect(of));
    all.addAll(more);
    return all;
  }

  /**
   * Reads the parameters of an element, in addition to values of others.
   *
   * @param more names of parameters that the caller reads
   * @throws ConfigurationException one is unknown, cannot be read, or is given in two forms
   */
  public Settings read(ConfigNode node, Settings others, List<String> more) {
    return read(node, node.name(), others, more);
  }

  /** Reads the parameters of an element which stand in one of another name. */
  public Settings read(ConfigNode node, String element, Settings others, List<String> more) {
    node.allowParams(allowed(element, more));
    Settings settings = others;
    for (Option<?> row : rows.values()) {
      if (row.isOf(element) && node.param(row.name()).isPresent()) {
        settings = read(node, row, settings);
      }
    }
    for (String param : namesWithoutEffect(element)) {
      if (node.param(param).isPresent()) {
        LOG.info("{}: {} is accepted, but has no effect", node.location(), param);
      }
    }
    return settings;
  }

  private static <T> Settings read(ConfigNode node, Option<T> row, Settings to) {
    if (to.isGiven(row.target())) {
      throw node.error(row.name(), "is given beside " + row.target().name() + "; give one of them");
    }
    return to.with(row, row.type().read(node, row.name()));
  }

  /** Returns the element whose options these are. */
  @Override
  public String toString() {
    return of;
  }
}
