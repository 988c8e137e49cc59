package com.wookler.river.common.settings;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.wookler.river.common.errors.ConfigurationException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One option: a row of an {@link OptionTable}, made by one of its methods. It does not change once
 * the class that holds the table is initialized.
 *
 * @param <T> type of its value
 */
public final class Option<T> {
  /** When an option may change. */
  public enum Change {
    /** While the queue runs. */
    RUNNING("yes"),
    /** When it is opened the next time. */
    OPENED("when opened"),
    /** Never; it is fixed when the queue or the subscriber is created, or counts only then. */
    NEVER("never");

    private final String text;

    Change(String text) {
      this.text = text;
    }

    /** Returns the words of the documentation. */
    public String text() {
      return text;
    }
  }

  private final OptionTable table;
  private final String element;
  private final String name;
  private final OptionType<T> type;
  private final int index;
  private final @Nullable Option<T> other;
  private @Nullable T dflt;
  private String dfltText = "";
  private @Nullable Range<T> range;
  private @Nullable Option<Boolean> needed;
  private Change change = Change.OPENED;
  private String json = "";
  private String java = "–";
  private String allowed = "–";
  private String unit;
  private String meaning = "";
  private String meaningInJson = "";

  /** Where a value has to be, and in which words. */
  private record Range<T>(
      @Nullable Comparable<? super T> least, @Nullable Comparable<? super T> most, String words) {
    boolean holds(T value) {
      return (least == null || least.compareTo(value) <= 0)
          && (most == null || most.compareTo(value) >= 0);
    }
  }

  /**
   * Makes the next row of a table.
   *
   * @param other the row whose value this one gives in another form, or null
   */
  Option(OptionTable table, String name, OptionType<T> type, @Nullable Option<T> other) {
    this.table = table;
    this.element = table.element();
    this.index = table.size();
    this.name = name;
    this.type = type;
    this.other = other;
    this.unit = type.unit();
  }

  /** Sets the value that counts where none is given, as XML would have it. */
  @CanIgnoreReturnValue
  public Option<T> dflt(String text) {
    return dflt(type.parse(text), "`" + text + "`");
  }

  /** Sets the value that counts where none is given, in the words of the documentation. */
  @CanIgnoreReturnValue
  public Option<T> dflt(@Nullable T value, String words) {
    table.ensureOpen();
    dflt = value;
    dfltText = words;
    return this;
  }

  /** Refuses values that are not within these, as XML would have them. */
  @CanIgnoreReturnValue
  public Option<T> between(String least, String most) {
    allowed = "`" + least + "` to `" + most + "`";
    return range(type.parse(least), type.parse(most), least + " to " + most + " are allowed");
  }

  /** Refuses values below this one, as XML would have it. */
  @CanIgnoreReturnValue
  public Option<T> atLeast(String least) {
    T value = type.parse(least);
    allowed = "`" + least + "` or more";
    return range(value, null, "it must be " + least + " or more");
  }

  @SuppressWarnings("unchecked") // numbers, sizes and durations have ranges
  private Option<T> range(T least, @Nullable T most, String words) {
    table.ensureOpen();
    range = new Range<>((Comparable<T>) least, (Comparable<T>) most, spelled(words));
    return this;
  }

  /** Spells the units out. */
  private static String spelled(String words) {
    return words
        .replaceAll("(\\d)hh\\b", "$1 hours")
        .replaceAll("(\\d)dd\\b", "$1 days")
        .replaceAll("(\\d)(ms|[KMG]B)\\b", "$1 $2");
  }

  /** Refuses any value but the default unless that option is on. */
  @CanIgnoreReturnValue
  public Option<T> needs(Option<Boolean> option) {
    table.ensureOpen();
    needed = option;
    return this;
  }

  /** Sets when it may change; {@link Change#OPENED} if nothing is said. */
  @CanIgnoreReturnValue
  public Option<T> changes(Change when) {
    table.ensureOpen();
    change = when;
    return this;
  }

  /** Sets the signature of the method of the builder, and the same name in JSON. */
  @CanIgnoreReturnValue
  public Option<T> named(String method) {
    return java(method).json(method.substring(0, method.indexOf('(')));
  }

  /** Sets its name in JSON, as {@code field} or {@code object.field}. */
  @CanIgnoreReturnValue
  public Option<T> json(String field) {
    table.ensureOpen();
    json = field;
    return this;
  }

  /** Sets the signature of the method of the builder. */
  @CanIgnoreReturnValue
  public Option<T> java(String method) {
    table.ensureOpen();
    java = "`" + method + "`";
    return this;
  }

  /** Sets what the documentation says is allowed, where a range does not say it. */
  @CanIgnoreReturnValue
  public Option<T> allowed(String words) {
    table.ensureOpen();
    allowed = words;
    return this;
  }

  /** Sets the unit, where the type does not say it. */
  @CanIgnoreReturnValue
  public Option<T> unit(String words) {
    table.ensureOpen();
    unit = words;
    return this;
  }

  /** Sets the sentence that says what the option does. */
  @CanIgnoreReturnValue
  public Option<T> means(String sentence) {
    table.ensureOpen();
    meaning = sentence;
    return this;
  }

  /** Sets the sentence for REST, where the other one speaks of Java or XML. */
  @CanIgnoreReturnValue
  public Option<T> meansInJson(String sentence) {
    table.ensureOpen();
    meaningInJson = sentence;
    return this;
  }

  /** Returns its name in XML. */
  public String name() {
    return name;
  }

  /** Returns the type of its value. */
  public OptionType<T> type() {
    return type;
  }

  /** Returns the value that counts where none is given. */
  public @Nullable T dflt() {
    return dflt;
  }

  /** Returns when it may change. */
  public Change change() {
    return change;
  }

  /** Returns its name in JSON; empty if it is not part of it. */
  public String json() {
    return json;
  }

  /** Returns whether its value is that of another row, in another form. */
  public boolean isAlias() {
    return other != null;
  }

  boolean isIn(OptionTable other) {
    return table == other;
  }

  @Nullable Option<Boolean> needed() {
    return needed;
  }

  Option<T> target() {
    return other == null ? this : other;
  }

  int index() {
    return index;
  }

  /** Returns whether it is a parameter of this element. */
  boolean isOf(String of) {
    return element.equals(of);
  }

  /** Returns the sentence that says what the option does. */
  public String meaning() {
    return meaning;
  }

  /** Returns the sentence for REST, where Java and XML are nothing to the reader. */
  public String meaningInJson() {
    return meaningInJson.isEmpty() ? meaning : meaningInJson;
  }

  /** Returns whether the method of the builder takes an int. */
  public boolean isInt() {
    return java.contains("(int)");
  }

  /** Returns the row of the documentation. */
  public String documented() {
    return String.format(
        "| %s | `%s` | %s | %s | %s | %s | %s | %s |",
        element, name, java, dfltText, unit, allowed, change.text(), meaning);
  }

  /** Returns the least and the greatest value, null where there is none. */
  public @Nullable Object[] bounds() {
    return range == null
        ? new @Nullable Object[] {null, null}
        : new @Nullable Object[] {range.least(), range.most()};
  }

  /** Returns what is wrong with a value that is out of range, or null. */
  public @Nullable String refusal(T value) {
    return range == null || range.holds(value) ? null : "is " + value + "; " + range.words();
  }

  /**
   * Refuses a value that is out of range.
   *
   * @param said the row that was used to give it
   */
  void checkRange(String who, T value, Option<?> said) {
    String wrong = refusal(value);
    if (wrong != null) {
      throw new ConfigurationException(who + ": " + said.name + " " + wrong);
    }
  }

  /** Refuses a value that is out of range, or that has no effect. */
  void check(String who, @Nullable T value, Option<?> said, Settings all) {
    if (value == null) {
      return;
    }
    checkRange(who, value, said);
    if (needed != null && !all.is(needed) && !Objects.equals(value, dflt)) {
      throw new ConfigurationException(
          String.format(
              "%s: %s %s, but without %s it has no effect; set %4$s, or leave %2$s out",
              who, said.name, said == this ? "is " + value : "is given", needed.name));
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
