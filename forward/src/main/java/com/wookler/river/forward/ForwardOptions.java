package com.wookler.river.forward;

import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.Option.Change;
import com.wookler.river.common.settings.OptionTable;
import com.wookler.river.common.settings.OptionType;
import com.wookler.river.core.subscriber.FilterExpression;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.SubscriberOptions;
import com.wookler.river.core.subscriber.ValueExpression;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * The options of a target of {@code queue.forward}, one row each: {@link ForwardConfig} and its
 * builder, XML, the stored form, the JSON of REST, the schema and docs/configuration.md are made
 * from these rows.
 */
public final class ForwardOptions {
  /** All options of a target. */
  public static final OptionTable TABLE = new OptionTable("forward");

  private static final String EXPRESSION = "see [Filter expressions](#filter-expressions)";

  static final Option<Position> START =
      TABLE
          .add("forward.start", SubscriberOptions.START.type())
          .dflt("earliest")
          .allowed("earliest, latest, a sequence, a time such as `2026-11-20T10:15:00Z`")
          .named("start(Position)")
          .changes(Change.NEVER)
          .means(
              "where the forward begins in the log; counts only when the target is new. The target"
                  + " gets nothing that it has, or has passed");

  /** Returns the values as texts, that of the start too, which other tables do not keep. */
  static Map<String, String> texts(ForwardConfig config) {
    Map<String, String> all = new LinkedHashMap<>(config.settings().texts());
    Position start = config.start();
    if (start instanceof Position.At at) {
      all.put(START.name(), String.valueOf(at.sequence()));
    } else if (start instanceof Position.Since since) {
      all.put(START.name(), since.time().toString());
    } else if (start != Position.earliest()) {
      all.put(START.name(), start.toString());
    }
    return all;
  }

  static final Option<FilterExpression> FILTER =
      TABLE
          .add("forward.filter", new ExpressionType<>(FilterExpression::parse))
          .dflt(null, "none: all messages")
          .allowed(EXPRESSION)
          .named("filter(String)")
          .changes(Change.RUNNING)
          .means("which messages the target gets, as `headers.type == 'order'`");

  static final Option<ValueExpression> KEY =
      TABLE
          .add("forward.key", new ExpressionType<>(ValueExpression::parse))
          .dflt(null, "none: as published")
          .allowed(EXPRESSION)
          .named("key(String)")
          .changes(Change.RUNNING)
          .means("the key in the target, as `json.customer`; `null` removes it");

  static final Option<ValueExpression> HEADERS =
      TABLE
          .add("forward.headers", new ExpressionType<>(ValueExpression::parse))
          .dflt(null, "none: as published")
          .allowed(EXPRESSION)
          .named("headers(String)")
          .changes(Change.RUNNING)
          .means(
              "headers that are set in the target, as `{'region': key, 'secret': null}`; the others"
                  + " stay, and `null` removes one");

  static final Option<ValueExpression> DATA =
      TABLE
          .add("forward.data", new ExpressionType<>(ValueExpression::parse))
          .dflt(null, "none: as published")
          .allowed(EXPRESSION)
          .named("data(String)")
          .changes(Change.RUNNING)
          .means(
              "the data in the target, as `json.order`: a text as its UTF-8, anything else as JSON");

  static final Option<OnFailure> ON_FAILURE =
      TABLE
          .constant("forward.on.failure", OnFailure.SKIP)
          .named("onFailure(OnFailure)")
          .changes(Change.RUNNING)
          .means(
              "what becomes of a message over which one of these fails: it is passed over, goes as"
                  + " it was published, or the forward waits. See [Forwarding](#forwarding)")
          .meansInJson(
              "what becomes of a message over which one of these fails: it is passed over, goes as"
                  + " it was published, or the forward waits");

  static {
    TABLE.end();
  }

  private ForwardOptions() {}

  /** An expression, by its text. */
  private static final class ExpressionType<T> extends OptionType<T> {
    private final Function<String, T> parser;

    ExpressionType(Function<String, T> parser) {
      super(Json.TEXT, "text", "");
      this.parser = parser;
    }

    @Override
    public T parse(String text) {
      return parser.apply(text);
    }
  }
}
