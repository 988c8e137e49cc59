package com.wookler.river.core.subscriber;

import com.wookler.river.ack.Retries;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.WholeNumbers;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.Option.Change;
import com.wookler.river.common.settings.OptionTable;
import com.wookler.river.common.settings.OptionType;
import com.wookler.river.core.message.Durability;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The options of a subscriber, one row each: {@link SubscriberConfig}, which describes them, and
 * its builder, XML, the stored form, the JSON of REST, the schema and docs/configuration.md are
 * made from these rows.
 */
public final class SubscriberOptions {
  private static final Logger LOG = LoggerFactory.getLogger(SubscriberOptions.class);

  public static final OptionTable TABLE = new OptionTable("subscriber");

  public static final Option<Boolean> ACK_REQUIRED =
      TABLE
          .flag("subscriber.ack.required", false)
          .named("ack(boolean)")
          .changes(Change.NEVER)
          .means(
              "whether a message is completed by its acknowledgement, or when it is delivered;"
                  + " cannot change later");

  public static final Option<Duration> ACK_TIMEOUT =
      TABLE
          .duration("subscriber.ack.timeout")
          .dflt("30ss")
          .between("1ms", "12hh")
          .named("ackTimeout(Duration)")
          .changes(Change.RUNNING)
          .means(
              "after which an unfinished message is delivered again; without"
                  + " `subscriber.ack.required` only the default of a reactor's time limit")
          .meansInJson("after which an unfinished message is delivered again");

  public static final Option<Durability> ACK_DURABILITY =
      TABLE
          .constant("subscriber.ack.durability", Durability.MEMORY)
          .needs(ACK_REQUIRED)
          .named("ackDurability(Durability)")
          .means(
              "what an acknowledgement that returned survives: a kill of the process, or a power"
                  + " loss too. `DISK` needs `subscriber.ack.required`");

  public static final Option<Long> MAX_DELIVERIES =
      TABLE
          .number("subscriber.max.deliveries", "deliveries")
          .dflt("0")
          .between("0", String.valueOf(Retries.MOST_DELIVERIES))
          .needs(ACK_REQUIRED)
          .allowed("`0` to `" + Retries.MOST_DELIVERIES + "`; 0 is without limit")
          .named("maxDeliveries(int)")
          .means(
              "how often a message is delivered before it becomes a dead letter; needs"
                  + " `subscriber.ack.required`");

  // the original's name, which counts the retries only
  static final Option<Long> RETRY_COUNT =
      TABLE
          .alias("subscriber.retry.count", new RetryCount(), MAX_DELIVERIES)
          .dflt(null, "–")
          .unit("retries")
          .allowed(RetryCount.ALLOWED)
          .java("maxDeliveries(int)")
          .means(
              "the original's name: `subscriber.max.deliveries` less one, for the first delivery is"
                  + " no retry; needs `subscriber.ack.required`");

  public static final Option<Backoff> BACKOFF =
      TABLE
          .add("subscriber.backoff", new BackoffType())
          .dflt("none")
          .needs(ACK_REQUIRED)
          .allowed("`none`; `fixed 5ss`; `list 1ss 5ss 30ss`; `exponential 1ss 5mm 2.0 0.2`")
          .named("backoff(Backoff)")
          .changes(Change.RUNNING)
          .means(
              "how long a message waits before it is delivered again, by attempt. See"
                  + " [Backoff](#backoff). Needs `subscriber.ack.required`")
          .meansInJson(
              "how long a message waits before it is delivered again, by attempt; without it not at all. Needs `ack`");

  public static final Option<Long> DEAD_LETTER_LIMIT =
      TABLE
          .number("subscriber.dead.max", "letters")
          .dflt("0")
          .atLeast("0")
          .needs(ACK_REQUIRED)
          .allowed("0 or more; 0 is without limit")
          .named("deadLetterLimit(long)")
          .changes(Change.RUNNING)
          .means(
              "how many dead letters are kept; of more the oldest are dropped, counted and logged."
                  + " Needs `subscriber.ack.required`");

  public static final Option<Duration> DEAD_LETTER_AGE =
      TABLE
          .duration("subscriber.dead.age")
          .dflt("0")
          .between("0", "36500dd")
          .needs(ACK_REQUIRED)
          .allowed("`0` to `36500dd`; 0 is without limit")
          .named("deadLetterAge(Duration)")
          .changes(Change.RUNNING)
          .means(
              "how long a dead letter is kept; older ones are dropped, counted and logged, while the"
                  + " subscriber is open. Needs `subscriber.ack.required`");

  public static final Option<String> DEAD_LETTER_QUEUE =
      TABLE
          .queue("subscriber.dead.queue")
          .dflt(null, "none")
          .needs(ACK_REQUIRED)
          .named("deadLetterQueue(String)")
          .changes(Change.RUNNING)
          .means(
              "the queue into which the dead letters are moved, those of several subscribers into"
                  + " one, each once. Needs `subscriber.ack.required`")
          .meansInJson(
              "the queue into which the dead letters are moved, those of several subscribers into one, each once; without it they stay with the subscriber");

  public static final Option<Duration> EXPIRES_AFTER =
      TABLE
          .duration("subscriber.expires.after")
          .dflt("0")
          .between("0", "36500dd")
          .allowed("`0` to `36500dd`; 0: never")
          .named("expiresAfter(Duration)")
          .changes(Change.RUNNING)
          .means(
              "after which a subscriber that is not in use is removed, with its position and dead"
                  + " letters; counts while the queue is open")
          .meansInJson(
              "after which a subscriber that is not in use is removed, with its position and dead letters");

  public static final Option<String> EXPIRY_QUEUE =
      TABLE
          .queue("subscriber.expiry.queue")
          .dflt(null, "that of `queue.expiry.queue`")
          .named("expiryQueue(String)")
          .changes(Change.RUNNING)
          .means(
              "the queue to which messages are transferred that expired before this subscriber had"
                  + " completed them")
          .meansInJson(
              "the queue to which messages are transferred that expired before this subscriber had completed them; without it that of the queue");

  public static final Option<Order> ORDER =
      TABLE
          .constant("subscriber.order", Order.SEQUENCE)
          .needs(ACK_REQUIRED)
          .named("order(Order)")
          .means(
              "the order of delivery. With `KEY`, later messages of a key wait until the one before is"
                  + " completed; with `STRICT`, all do. Both need `subscriber.ack.required`; `KEY` is"
                  + " for good");

  public static final Option<Predicate<?>> FILTER =
      TABLE
          .add("subscriber.filter", new FilterType())
          .dflt(null, "none: all messages")
          .allowed("a `Predicate<Message<M>>`")
          .java("filter(Predicate)")
          .means(
              "which messages the subscriber receives; the others are completed. A public class with"
                  + " a public constructor without parameters. It is not kept on disk");

  static final Option<Predicate<?>> FILTER_EXPRESSION =
      TABLE
          .alias("subscriber.filter.expression", new ExpressionType(), FILTER)
          .dflt(null, "none: all messages")
          .allowed("see [Filter expressions](#filter-expressions)")
          .named("filterExpression(String)")
          .means("the same as an expression, kept on disk; instead of `subscriber.filter`")
          .meansInJson(
              "which messages it wants, over `key`, `headers` and the fields of data that is JSON, as `headers.type == 'order' && json.amount > 100`; what it refuses is completed");

  public static final Option<Long> MAX_IN_FLIGHT =
      TABLE
          .number("subscriber.max.in.flight", "messages")
          .dflt("10000")
          .between("1", "1048576")
          .named("maxInFlight(int)")
          .changes(Change.RUNNING)
          .means(
              "how many messages may be in flight at once; at the limit polls return nothing new");

  public static final Option<Long> WINDOW =
      TABLE
          .number("subscriber.window", "messages")
          .dflt("262144")
          .between("1", "1048576")
          .named("window(int)")
          .changes(Change.RUNNING)
          .means(
              "how far above the lowest unfinished message reading goes. At least"
                  + " `subscriber.max.in.flight` counts. See [Window](#window)")
          .meansInJson(
              "how far above the lowest unfinished message reading goes; at least `maxInFlight` counts");

  public static final Option<Long> MAX_RATE =
      TABLE
          .number("subscriber.max.rate", "messages/s")
          .dflt("0")
          .between("0", "1000000000")
          .allowed("`0` to `1000000000`; 0 is without limit")
          .named("maxRate(long)")
          .changes(Change.RUNNING)
          .means("how many messages are delivered a second at most, further deliveries included");

  public static final Option<Long> MAX_BYTES_RATE =
      TABLE
          .bytes("subscriber.max.bytes.rate")
          .dflt("0")
          .atLeast("0")
          .unit("bytes/s")
          .allowed("0 or more; 0 is without limit")
          .named("maxBytesRate(long)")
          .changes(Change.RUNNING)
          .means("how many bytes of data are delivered a second at most, in the same way")
          .meansInJson("how many bytes of data are delivered a second at most");

  public static final Option<Boolean> EXCLUSIVE =
      TABLE
          .flag("subscriber.exclusive", false)
          .named("exclusive(boolean)")
          .means(
              "whether it delivers to one owner at a time, until that releases its lease or the"
                  + " lease ends; others wait");

  public static final Option<Duration> LEASE =
      TABLE
          .duration("subscriber.lease")
          .dflt("30ss")
          .between("100ms", "12hh")
          .needs(EXCLUSIVE)
          .named("lease(Duration)")
          .means(
              "how long an owner of an exclusive subscriber has it after its last poll or"
                  + " acknowledgement; needs `subscriber.exclusive`");

  public static final Option<Position> START =
      TABLE
          .add("subscriber.start", new PositionType())
          .dflt("earliest")
          .allowed("earliest, latest, a sequence, a time such as `2026-11-20T10:15:00Z`")
          .named("start(Position)")
          .changes(Change.NEVER)
          .means(
              "where a new subscriber begins, a sequence or time also in the backup; counts only"
                  + " when it is created");

  public static final Option<Long> BATCH_SIZE =
      TABLE
          .number("subscriber.batch.size", "messages")
          .dflt("64")
          .between("1", String.valueOf(Integer.MAX_VALUE))
          .allowed("1 or more")
          .java("batchSize(int)")
          .changes(Change.RUNNING)
          .means("what `batch()` without arguments takes at most");

  public static final Option<Duration> POLL_TIMEOUT =
      TABLE
          .duration("subscriber.poll.timeout")
          .dflt("1ss")
          .atLeast("0")
          .allowed("0 or more")
          .java("pollTimeout(Duration)")
          .changes(Change.RUNNING)
          .means("how long `batch()` without arguments waits");

  static {
    TABLE.withoutEffect("subscriber.ack.cache.size");
    TABLE.end();
  }

  private SubscriberOptions() {}

  /** A number of retries, which is one less than that of the deliveries. */
  private static final class RetryCount extends OptionType<Long> {
    static final String ALLOWED = "0 to " + (Retries.MOST_DELIVERIES - 1);

    RetryCount() {
      super(Json.INTEGER, "retries", ALLOWED + " are allowed");
    }

    @Override
    public Long parse(String text) {
      long retries = WholeNumbers.parse(text);
      if (retries < 0 || retries >= Retries.MOST_DELIVERIES) {
        throw new IllegalArgumentException(text);
      }
      return retries + 1;
    }

    @Override
    public @Nullable String text(Long deliveries) {
      return null; // the other row says it
    }
  }

  /** As {@link Backoff#parse} reads it. */
  private static final class BackoffType extends OptionType<Backoff> {
    BackoffType() {
      super(Json.OBJECT, "–", "");
    }

    @Override
    public Backoff parse(String text) {
      return Backoff.parse(text);
    }
  }

  /** The name of a class; from the disk it comes as a filter that only has this name. */
  private static final class FilterType extends OptionType<Predicate<?>> {
    FilterType() {
      super(Json.TEXT, "class", "");
    }

    @Override
    public Predicate<?> parse(String text) {
      return new LostFilter(text, null);
    }

    @Override
    public Predicate<?> read(ConfigNode node, String param) {
      return node.instantiateParam(param, Predicate.class);
    }

    @Override
    public String text(Predicate<?> filter) {
      return filter instanceof LostFilter lost ? lost.name() : filter.getClass().getName();
    }
  }

  /** As {@link FilterExpression#parse} reads it; it says nothing of a filter that is code. */
  private static final class ExpressionType extends OptionType<Predicate<?>> {
    ExpressionType() {
      super(Json.TEXT, "text", "");
    }

    @Override
    public Predicate<?> parse(String text) {
      return FilterExpression.parse(text);
    }

    @Override
    public Predicate<?> restore(String text) {
      try {
        return parse(text);
      } catch (ConfigurationException e) {
        LOG.warn("The filter of a subscriber cannot be read: {}", e.getMessage());
        return new LostFilter(FilterExpression.class.getName(), text);
      }
    }

    @Override
    public @Nullable String text(Predicate<?> filter) {
      if (filter instanceof LostFilter lost) {
        return lost.expression();
      }
      return filter instanceof FilterExpression expression ? expression.text() : null;
    }
  }

  /** A beginning, an end, a sequence or a time. */
  private static final class PositionType extends OptionType<Position> {
    PositionType() {
      super(Json.OBJECT, "–", "");
    }

    @Override
    public Position parse(String text) {
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "earliest" -> Position.earliest();
        case "latest" -> Position.latest();
        default -> sequenceOrTime(text);
      };
    }

    @Override
    public @Nullable String text(Position start) {
      return null; // counts once; where it has led to is kept
    }

    private static Position sequenceOrTime(String text) {
      try {
        return !text.isEmpty() && text.chars().allMatch(each -> each >= '0' && each <= '9')
            ? Position.sequence(Long.parseLong(text))
            : Position.time(Instant.parse(text));
      } catch (NumberFormatException | DateTimeException e) {
        throw new ConfigurationException(
            "is '"
                + text
                + "'; allowed are earliest, latest, a sequence, a time such as"
                + " 2026-11-20T10:15:00Z",
            e);
      }
    }
  }
}
