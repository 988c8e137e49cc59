package com.wookler.river.filter;

import com.wookler.river.common.errors.ConfigurationException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.jexl3.JexlBuilder;
import org.apache.commons.jexl3.JexlContext;
import org.apache.commons.jexl3.JexlEngine;
import org.apache.commons.jexl3.JexlException;
import org.apache.commons.jexl3.JexlFeatures;
import org.apache.commons.jexl3.JexlInfo;
import org.apache.commons.jexl3.JexlScript;
import org.apache.commons.jexl3.introspection.JexlPermissions;
import org.jspecify.annotations.Nullable;

/**
 * An expression compiled by JEXL; thread-safe. Only the parts of JEXL's language without side
 * effects are allowed: its parser is configured so, {@link ClosedUberspect} finds nothing that
 * could be called, and this class checks names and functions.
 */
final class JexlCondition {
  /** The language: one expression, no script. */
  private static final JexlFeatures LANGUAGE =
      JexlFeatures.createNone()
          .script(false)
          .comparatorNames(true)
          .arrayReferenceExpr(true)
          .structuredLiteral(true);

  private static final JexlEngine ENGINE =
      new JexlBuilder()
          .features(LANGUAGE)
          .permissions(JexlPermissions.NONE)
          .uberspect(new ClosedUberspect())
          .arithmetic(new NullSafeArithmetic())
          .strict(false)
          .safe(true)
          .silent(false)
          .antish(false)
          .cache(0)
          .create();

  /** Texts and patterns, which contain no names. */
  private static final Pattern QUOTED =
      Pattern.compile(
          "'(?:\\\\.|[^'\\\\])*+'|\"(?:\\\\.|[^\"\\\\])*+\"|~/(?:\\\\.|[^/\\\\])*+/",
          Pattern.DOTALL);

  /** The fields that are a text, a map or null, perhaps in brackets. */
  private static final Pattern TEXT_OR_NULL =
      Pattern.compile(
          "[\\s(]*(key|headers(?:[.][\\w$]+|\\[\\s*(?:'[^'\\\\]*'|\"[^\"\\\\]*\")\\s*\\])?)[\\s)]*");

  private static final Pattern CALL = Pattern.compile("(?<![\\w.$:])([\\w$]+(?::[\\w$]+)?)\\s*\\(");
  private static final Pattern FORBIDDEN = Pattern.compile("[`#]|//|/\\*");

  /** The words before a bracket that are not calls of other functions. */
  private static final Set<String> BEFORE_BRACKETS =
      Set.of("size", "empty", "not", "and", "or", "eq", "ne", "lt", "le", "gt", "ge");

  private final JexlScript script;
  private final Patterns patterns;

  private JexlCondition(JexlScript script, Patterns patterns) {
    this.script = script;
    this.patterns = patterns;
  }

  /**
   * Compiles an expression.
   *
   * @throws ConfigurationException with the column
   */
  static JexlCondition compile(String text) {
    String bare =
        QUOTED
            .matcher(text)
            .replaceAll(found -> "'" + "_".repeat(found.group().length() - 2) + "'");
    Matcher forbidden = FORBIDDEN.matcher(bare);
    if (forbidden.find()) {
      throw error(forbidden.start() + 1, "'" + forbidden.group() + "' is not allowed");
    }
    JexlScript script = parse(text);
    for (List<String> variable : script.getVariables()) {
      String name = variable.get(0);
      if (!Fields.isKnown(name)) {
        throw error(
            column(bare, name), "'" + name + "' is unknown; there are key, headers and json");
      }
    }
    Matcher call = CALL.matcher(bare);
    while (call.find()) {
      if (!BEFORE_BRACKETS.contains(call.group(1))) {
        throw error(
            call.start() + 1,
            "there is no function '" + call.group(1) + "'; there are size and empty");
      }
    }
    return new JexlCondition(script, patterns(text));
  }

  /**
   * Refuses what is true for no message: a value without variables that is neither true nor false,
   * the key, the headers or one of them.
   *
   * @throws ConfigurationException with the column
   */
  void requireCondition(String text) {
    Matcher bare = TEXT_OR_NULL.matcher(text);
    if (bare.matches()) {
      throw error(
          bare.start(1) + 1,
          "'"
              + bare.group(1)
              + "' is no condition; compare it, as in "
              + bare.group(1)
              + " != null");
    }
    if (!script.getVariables().isEmpty()) {
      return;
    }
    Object value;
    try {
      value = evaluate(new Fields(null, Map.of(), ""), answer -> answer);
    } catch (RuntimeException | StackOverflowError e) {
      return; // fails over each message, which is logged and counted
    }
    if (!(value instanceof Boolean)) {
      int column = text.length() - text.stripLeading().length() + 1;
      throw error(column, "'" + text.strip() + "' is no condition, which is true or false");
    }
  }

  private static Patterns patterns(String text) {
    Patterns patterns = new Patterns();
    Matcher quoted = QUOTED.matcher(text);
    while (quoted.find()) {
      if (!isMatchedWith(text, quoted.start())) {
        continue;
      }
      Object literal = parse(quoted.group()).execute(null);
      try {
        patterns.add(literal instanceof Pattern known ? known.pattern() : String.valueOf(literal));
      } catch (IllegalArgumentException e) {
        throw error(quoted.start() + 1, String.valueOf(e.getMessage()));
      }
    }
    return patterns;
  }

  /** Returns whether it comes after {@code =~} or {@code !~}. */
  private static boolean isMatchedWith(String text, int start) {
    int before = start - 1;
    while (before > 0 && Character.isWhitespace(text.charAt(before))) {
      before--;
    }
    return before > 0
        && text.charAt(before) == '~'
        && (text.charAt(before - 1) == '=' || text.charAt(before - 1) == '!');
  }

  private static JexlScript parse(String text) {
    try {
      return ENGINE.createScript(LANGUAGE, new JexlInfo("", 1, 1), text);
    } catch (JexlException e) {
      JexlInfo place = e.getInfo();
      String what = String.valueOf(e.getMessage()).replaceFirst("^.*?@\\d+:\\d+ ", "");
      throw error(place == null ? 1 : place.getColumn(), what); // JEXL's own position is left out
    } catch (StackOverflowError e) {
      throw new ConfigurationException("the filter expression nests too deeply", e);
    }
  }

  private static int column(String bare, String name) {
    Matcher found = Pattern.compile("(?<![\\w.$])" + Pattern.quote(name) + "\\b").matcher(bare);
    return found.find() ? found.start() + 1 : 1;
  }

  private static ConfigurationException error(int column, String what) {
    return new ConfigurationException("column " + column + " of the filter expression: " + what);
  }

  /**
   * Returns its value for a message, after a conversion that counts as part of the work; throws any
   * exception if it cannot be evaluated.
   */
  @Nullable Object evaluate(Fields fields, UnaryOperator<@Nullable Object> conversion) {
    Effort effort = Effort.begin(patterns);
    Object answer = conversion.apply(script.execute(new Context(fields)));
    effort.ensureDone();
    return answer;
  }

  private record Context(Fields fields) implements JexlContext {
    @Override
    public @Nullable Object get(String name) {
      return fields.get(name);
    }

    @Override
    public boolean has(String name) {
      return Fields.isKnown(name);
    }

    @Override
    public void set(String name, @Nullable Object value) {
      throw new UnsupportedOperationException(name + " cannot be set");
    }
  }
}
