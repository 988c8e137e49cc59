package com.wookler.river.common.settings;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A value for each option of a table; immutable. */
public final class Settings {
  private final OptionTable table;
  private final @Nullable Object[] values; // null: the default
  private final @Nullable Option<?>[] given; // the row that was used to give the value

  Settings(OptionTable table) {
    this(table, new @Nullable Object[table.rows().size()], new Option<?>[table.rows().size()]);
  }

  private Settings(OptionTable table, @Nullable Object[] values, @Nullable Option<?>[] given) {
    this.table = table;
    this.values = values;
    this.given = given;
  }

  /** Returns the value of an option, or its default; null if it has neither. */
  @SuppressWarnings("unchecked") // with() takes no other
  public <T> @Nullable T find(Option<T> option) {
    Option<T> target = option.target();
    Object value = values[target.index()];
    return value == null ? target.dflt() : (T) value;
  }

  /** Returns the value of an option that has a default. */
  public <T> T get(Option<T> option) {
    return Objects.requireNonNull(find(option), option.name());
  }

  /** Returns whether an option is on. */
  public boolean is(Option<Boolean> option) {
    return get(option);
  }

  /** Returns a number that the option's range keeps within those of an int. */
  public int number(Option<Long> option) {
    return (int) Math.min(get(option), Integer.MAX_VALUE);
  }

  /** Returns whether a value was given. */
  public boolean isGiven(Option<?> option) {
    return given[option.target().index()] != null;
  }

  /** Returns the same with the others' values of the options that may change while a queue runs. */
  public Settings changedTo(Settings others) {
    Settings changed = this;
    for (Option<?> row : table.rows()) {
      if (!row.isAlias() && row.change() == Option.Change.RUNNING) {
        changed = changed.like(row, others);
      }
    }
    return changed;
  }

  private <T> Settings like(Option<T> row, Settings others) {
    return with(row, others.find(row));
  }

  /** Returns the options of which a value was given. */
  public List<Option<?>> given() {
    return table.rows().stream().filter(row -> !row.isAlias() && isGiven(row)).toList();
  }

  /** Returns the same with all values that were given of others. */
  public Settings withGiven(Settings others) {
    @Nullable Object[] all = values.clone();
    @Nullable Option<?>[] by = given.clone();
    for (int i = 0; i < all.length; i++) {
      if (others.given[i] != null) {
        all[i] = others.values[i];
        by[i] = others.given[i];
      }
    }
    return new Settings(table, all, by);
  }

  /**
   * Returns the same with those values that were given of defaults, where none was given here; but
   * for what would have no effect, because the option that it needs is off.
   */
  public Settings or(Settings defaults) {
    Settings merged = defaults.withGiven(this);
    for (Option<?> row : defaults.given()) {
      Option<Boolean> needed = row.needed();
      if (needed != null && !isGiven(row) && !merged.is(needed)) {
        merged = merged.with(row, null);
      }
    }
    return merged;
  }

  /** Returns the same with another value; null: the default. */
  public <T> Settings with(Option<T> option, @Nullable T value) {
    if (!option.isIn(table)) {
      throw new IllegalArgumentException(option + " is no option of a " + table);
    }
    int index = option.target().index();
    @Nullable Object[] changed = values.clone();
    changed[index] = value;
    @Nullable Option<?>[] by = given.clone();
    by[index] = value == null ? null : option;
    return new Settings(table, changed, by);
  }

  /**
   * Returns the values as text, by the names of the options, as {@link OptionTable#restore} reads.
   */
  public Map<String, String> texts() {
    Map<String, String> all = new LinkedHashMap<>();
    for (Option<?> row : table.rows()) {
      String text = text(row);
      if (text != null) {
        all.put(row.name(), text);
      }
    }
    return all;
  }

  private <T> @Nullable String text(Option<T> row) {
    T value = find(row);
    return value == null ? null : row.type().text(value);
  }

  /**
   * Refuses what is out of its range, and what has no effect.
   *
   * @param who the subject of the error
   * @throws com.wookler.river.common.errors.ConfigurationException naming the option
   */
  public void check(String who) {
    table.rows().forEach(row -> check(who, row));
  }

  /**
   * Refuses what is out of its range, of settings that others are to complete.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException naming the option
   */
  public void checkRanges(String who) {
    given().forEach(row -> checkRange(who, row));
  }

  private <T> void checkRange(String who, Option<T> row) {
    row.checkRange(who, get(row), row);
  }

  private <T> void check(String who, Option<T> row) {
    Option<?> said = given[row.index()];
    if (!row.isAlias()) {
      row.check(who, find(row), said == null ? row : said, this);
    }
  }

  /** Returns what others say otherwise; see {@link #differences(Settings, Set)}. */
  public List<String> differences(Settings others) {
    return differences(others, Set.of());
  }

  /**
   * Returns what others say otherwise, one sentence an option, such as {@code subscriber.window is
   * 100, not 200}: its value here and then there.
   *
   * @param aside options that do not count
   */
  public List<String> differences(Settings others, Set<Option<?>> aside) {
    List<String> all = new ArrayList<>();
    for (Option<?> row : table.rows()) {
      Object here = find(row);
      Object there = others.find(row);
      if (!row.isAlias() && !aside.contains(row) && !Objects.equals(here, there)) {
        all.add(row.name() + " is " + shown(here) + ", not " + shown(there));
      }
    }
    return all;
  }

  private static Object shown(@Nullable Object value) {
    return value == null ? "none" : value;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Settings that && table == that.table && differences(that).isEmpty();
  }

  @Override
  public int hashCode() {
    return Objects.hash(
        table.rows().stream().filter(row -> !row.isAlias()).map(this::find).toArray());
  }

  /** Names every option that has a value. */
  @Override
  public String toString() {
    List<String> all = new ArrayList<>();
    for (Option<?> row : table.rows()) {
      if (!row.isAlias() && find(row) != null) {
        all.add(row.name() + "=" + find(row));
      }
    }
    return String.join(", ", all);
  }
}
