package com.wookler.river.core;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.Option.Change;
import com.wookler.river.common.settings.OptionTable;
import com.wookler.river.common.settings.OptionType;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.MessageConverter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The options of a queue and of its backup, one row each: the builder's checks, XML, the JSON of
 * REST, the schema and docs/configuration.md are made from these rows.
 */
public final class QueueOptions {
  /** All of them. */
  public static final OptionTable TABLE = new OptionTable("queue");

  private static final String NAMES = "see [Names](#names)";

  /** Makes the messages' data from bytes and back. */
  static final Option<MessageConverter<?>> CONVERTER =
      TABLE
          .add("queue.message.converter", new ConverterType())
          .dflt(null, "required")
          .allowed("a `MessageConverter`, in XML also `bytes` or `utf8`")
          .java("builder(name, converter)")
          .means(
              "turns data into bytes and back; in XML one that is there, or a public class with a"
                  + " public constructor without parameters");

  static final Option<PublishInterceptor<?>> INTERCEPTOR =
      TABLE
          .add("queue.interceptor", new ObjectType<PublishInterceptor<?>>(PublishInterceptor.class))
          .dflt(null, "none")
          .allowed("a `PublishInterceptor`")
          .java("interceptor(PublishInterceptor)")
          .means(
              "sees each message before it is converted, and may change it; in XML a public class"
                  + " with a public constructor without parameters");

  /** See {@link MessageQueue.Builder#directory}. */
  public static final Option<Path> DIRECTORY =
      TABLE
          .path("queue.directory")
          .dflt(Path.of("river-data"), "required in XML, else `river-data`")
          .java("directory(Path)")
          .means(
              "base directory; several queues may share it, each has a directory of its name in it");

  /** See {@link MessageQueue.Builder#reload}. */
  public static final Option<Boolean> RELOAD =
      TABLE
          .flag("queue.onstart.reload", true)
          .java("reload(boolean)")
          .means(
              "`false` renames what the directory holds to `<queue>.discarded-<time>`, and"
                  + " starts empty");

  /** See {@link MessageQueue.Builder#discardedRetention}. */
  public static final Option<Duration> DISCARDED_RETENTION =
      TABLE
          .duration("queue.discarded.retention")
          .dflt("7dd")
          .atLeast("0")
          .allowed("0 or more")
          .java("discardedRetention(Duration)")
          .means("data that was renamed longer ago than this is removed when the queue is opened");

  /** See {@link MessageQueue.Builder#durability}. */
  public static final Option<Durability> DURABILITY =
      TABLE
          .constant("queue.durability", Durability.MEMORY)
          .named("durability(Durability)")
          .changes(Change.RUNNING)
          .means(
              "what a publish that has returned promises: `MEMORY` survives the end of the process,"
                  + " `DISK` the end of the power. A call may ask for more, `publish(message,"
                  + " Durability.DISK)`, and never gets less")
          .meansInJson(
              "what a publish that was answered survives: `MEMORY` the end of the process, `DISK` the end of the power. A request may ask for more, and never gets less");

  /** See {@link MessageQueue.Builder#syncInterval}. */
  public static final Option<Duration> SYNC_INTERVAL =
      TABLE
          .duration("queue.sync.interval")
          .dflt("200ms")
          .atLeast("1ms")
          .named("syncInterval(Duration)")
          .changes(Change.RUNNING)
          .means("pause between two background forces of log and acknowledgements to the device");

  /** See {@link MessageQueue.Builder#onDamage}. */
  public static final Option<OnDamage> ON_DAMAGE =
      TABLE
          .constant("queue.on.damage", OnDamage.SALVAGE)
          .named("onDamage(OnDamage)")
          .means(
              "what subscribers do where the log is damaged: continue at the next valid message and"
                  + " report what is lost; or stop until `seek`. See [Damage](#damage)")
          .meansInJson(
              "what subscribers do where the log is damaged: continue at the next valid message, and report what is lost; or stop, with a `damaged` problem at each poll, until `seek`");

  /** See {@link MessageQueue.Builder#blockBytes}; an empty block has 64 KB of index. */
  public static final Option<Long> BLOCK_BYTES =
      TABLE
          .bytes("queue.block.bytes")
          .dflt("64MB")
          .between("256KB", "1GB")
          .named("blockBytes(long)")
          .means(
              "size at which a block is closed whatever its strategy says; raised to four times"
                  + " `queue.max.message.bytes`");

  /** See {@link MessageQueue.Builder#maxMessageBytes}. */
  public static final Option<Long> MAX_MESSAGE_BYTES =
      TABLE
          .bytes("queue.max.message.bytes")
          .dflt("16MB")
          .between("1", "128MB")
          .named("maxMessageBytes(int)")
          .means("largest data of one message");

  /** See {@link MessageQueue.Builder#unusedBlocks}. */
  public static final Option<Long> UNUSED_BLOCKS =
      TABLE
          .number("queue.unused.blocks", "blocks")
          .dflt("16")
          .atLeast("0")
          .allowed("0 or more; 0: any number")
          .named("unusedBlocks(long)")
          .changes(Change.RUNNING)
          .means(
              "how many blocks a subscriber that is not in use may hold before that is logged,"
                  + " reported to listeners and counted");

  /** See {@link MessageQueue.Builder#unusedAge}. */
  public static final Option<Duration> UNUSED_AGE =
      TABLE
          .duration("queue.unused.age")
          .dflt("1dd")
          .atLeast("0")
          .allowed("0 or more; 0: any age")
          .named("unusedAge(Duration)")
          .changes(Change.RUNNING)
          .means(
              "how old the oldest block may be that a subscriber holds that is not in use, before"
                  + " that is logged, reported to listeners and counted");

  /** See {@link MessageQueue.Builder#expiresAfter}. */
  public static final Option<Duration> EXPIRES_AFTER =
      TABLE
          .duration("queue.expires.after")
          .dflt("0")
          .atLeast("0")
          .allowed("0 or more; 0: never")
          .named("expiresAfter(Duration)")
          .changes(Change.RUNNING)
          .means(
              "after so long without a message in it, a publish, a poll or an acknowledgement, while"
                  + " it is open, the queue is closed and deleted; see [Expiry of"
                  + " queues](operating.md#what-is-not-in-use)")
          .meansInJson(
              "after so long without a message in it, a publish, a poll or an acknowledgement the queue is deleted; 0: never");

  /** See {@link MessageQueue.Builder#maxMessages}. */
  public static final Option<Long> MAX_MESSAGES =
      TABLE
          .number("queue.max.messages", "messages")
          .dflt(Long.MAX_VALUE, "any number")
          .atLeast("1")
          .named("maxMessages(long)")
          .changes(Change.RUNNING)
          .means(
              "how many messages it may hold: from the oldest on that its slowest subscriber has not"
                  + " completed, without subscribers those in its log, but for removed ones; and the"
                  + " delayed ones");

  /** See {@link MessageQueue.Builder#maxBytes}. */
  public static final Option<Long> MAX_BYTES =
      TABLE
          .bytes("queue.max.bytes")
          .dflt(Long.MAX_VALUE, "any number")
          .atLeast("1")
          .named("maxBytes(long)")
          .changes(Change.RUNNING)
          .means(
              "how many bytes the queue may hold, with envelopes, counted as messages are, to within"
                  + " a 256th of the limit. See [Limits](#limits)")
          .meansInJson(
              "how many bytes the queue may hold, counted as messages are, with envelopes, to within a 256th of the limit; delayed messages that wait count as if they had been published before the others; of what is there when the queue is opened, an estimate by blocks");

  /** See {@link MessageQueue.Builder#whenFull}. */
  public static final Option<FullPolicy> FULL_POLICY =
      TABLE
          .constant("queue.full.policy", FullPolicy.REJECT)
          .java("whenFull(FullPolicy, Duration)")
          .json("whenFull.policy")
          .changes(Change.RUNNING)
          .means(
              "what a publish does that exceeds these two: it is refused, waits, or the oldest"
                  + " messages are discarded for every subscriber. See [Limits](#limits)")
          .meansInJson(
              "what a publish does that `maxMessages` and `maxBytes` leave no capacity for: it is refused, waits, or the oldest messages are discarded for every subscriber, and counted");

  /** See {@link MessageQueue.Builder#whenFull}. */
  public static final Option<Duration> FULL_TIMEOUT =
      TABLE
          .duration("queue.full.timeout")
          .dflt("30ss")
          .atLeast("0")
          .allowed("0 or more")
          .java("whenFull(FullPolicy, Duration)")
          .json("whenFull.timeout")
          .changes(Change.RUNNING)
          .means("how long `BLOCK` waits before it refuses");

  /** See {@link MessageQueue.Builder#deduplicate}. */
  public static final Option<Duration> DEDUPLICATE =
      TABLE
          .duration("queue.deduplicate")
          .dflt("0")
          .between("0", "366dd")
          .named("deduplicate(Duration)")
          .means(
              "window in which messages of one id are stored once; 0: ids have no effect. An id in"
                  + " the window takes 16 to 32 bytes of heap, and 25 and its own on disk");

  /** See {@link MessageQueue.Builder#keyIndex}. */
  public static final Option<Boolean> KEY_INDEX =
      TABLE
          .flag("queue.index.keys", false)
          .named("keyIndex(boolean)")
          .means(
              "whether the last message of each key is indexed, for `MessageQueue.latest(key)`. See"
                  + " [The index of keys](#the-index-of-keys)")
          .meansInJson(
              "whether the last message of each key is indexed, so that it can be looked up; 16 to 32 bytes on disk for each key. Turned on later, it takes in what is there");

  /** See {@link MessageQueue.Builder#compact}. */
  public static final Option<Boolean> COMPACT =
      TABLE
          .flag("queue.compact", false)
          .needs(KEY_INDEX)
          .named("compact(boolean)")
          .means(
              "whether only the last message of each key is kept, needs `queue.index.keys`. See"
                  + " [Compaction](#compaction)")
          .meansInJson(
              "whether only the last message of each key is kept, in closed files and backups; needs the index of keys. A message with a key and without data deletes the key");

  /** See {@link MessageQueue.Builder#compactAge}. */
  public static final Option<Duration> COMPACT_AGE =
      TABLE
          .duration("queue.compact.age")
          .dflt("0")
          .atLeast("0")
          .allowed("0 or more")
          .needs(KEY_INDEX)
          .named("compactAge(Duration)")
          .changes(Change.RUNNING)
          .means(
              "how old the last message of a block is before the block is compacted; needs `queue.index.keys`");

  /** See {@link MessageQueue.Builder#compactBytes}. */
  public static final Option<Long> COMPACT_BYTES =
      TABLE
          .bytes("queue.compact.bytes")
          .dflt("64mb")
          .atLeast("1")
          .needs(COMPACT)
          .named("compactBytes(long)")
          .changes(Change.RUNNING)
          .means(
              "bytes by which the closed blocks have to grow before all are compacted again; needs `queue.compact`");

  /** See {@link MessageQueue.Builder#compactDeletesAge}. */
  public static final Option<Duration> COMPACT_DELETES_AGE =
      TABLE
          .duration("queue.compact.deletes.age")
          .dflt("1dd")
          .atLeast("0")
          .allowed("0 or more")
          .needs(KEY_INDEX)
          .named("compactDeletesAge(Duration)")
          .changes(Change.RUNNING)
          .means(
              "how long a delete marker, a message with a key and without data, is kept; needs `queue.index.keys`");

  /** See {@link MessageQueue.Builder#compactUnseen}. */
  public static final Option<Boolean> COMPACT_UNSEEN =
      TABLE
          .flag("queue.compact.unseen", false)
          .needs(KEY_INDEX)
          .named("compactUnseen(boolean)")
          .changes(Change.RUNNING)
          .means(
              "whether messages are also removed that a subscriber has not completed: it gets a"
                  + " later one of the key. Needs `queue.index.keys`");

  /** See {@link MessageQueue.Builder#forwardTo}. */
  public static final Option<List<String>> FORWARD =
      TABLE
          .add("queue.forward", new NamesType())
          .dflt(List.of(), "none")
          .unit("names, separated by commas or spaces")
          .allowed(NAMES)
          .java("forwardTo(String...)")
          .means(
              "other queues to which every message is forwarded, each once; see"
                  + " [Forwarding](#forwarding)");

  /** See {@link MessageQueue.Builder#fanoutOnly}. */
  public static final Option<Boolean> FANOUT_ONLY =
      TABLE
          .flag("queue.fanout.only", false)
          .java("fanoutOnly(boolean)")
          .means(
              "whether the queue is there for `queue.forward` alone: it has no subscribers, and"
                  + " keeps its log only until all targets have what they got on the device");

  /** See {@link MessageQueue.Builder#maxAge}. */
  public static final Option<Duration> MAX_AGE =
      TABLE
          .duration("queue.max.age")
          .dflt("0")
          .between("0", "36500dd")
          .named("maxAge(Duration, String)")
          .means(
              "after which a message expires: it is not delivered any more and is completed;"
                  + " 0: only those expire that say so");

  /** See {@link MessageQueue.Builder#maxAge}. */
  public static final Option<String> EXPIRY_QUEUE =
      TABLE
          .queue("queue.expiry.queue")
          .dflt(null, "none: they go nowhere")
          .java("maxAge(Duration, String)")
          .json("expiryQueue")
          .changes(Change.RUNNING)
          .means(
              "another queue of this JVM, to which expired messages are transferred, each once. See"
                  + " [Expiry queues](#expiry-queues)")
          .meansInJson(
              "another queue of this server, to which expired messages are transferred, each once. While it is not there, or is full, or takes none as large, expired messages wait, and those after them");

  /** See {@link MessageQueue.Builder#retention}. */
  public static final Option<Duration> RETENTION_AGE =
      TABLE
          .duration("queue.retention.age")
          .dflt(Duration.ZERO, "for good")
          .atLeast("0")
          .allowed("0 or more; 0 means for good")
          .java("retention(Retention)")
          .json("retention.age")
          .changes(Change.RUNNING)
          .means(
              "of a queue without subscribers: a closed block is removed when its last message is older"
                  + " than this. See [Retention](#retention)")
          .meansInJson("a closed file is removed when its last message is older than this");

  /** See {@link MessageQueue.Builder#retention}. */
  public static final Option<Long> RETENTION_BYTES =
      TABLE
          .bytes("queue.retention.bytes")
          .dflt(Long.MAX_VALUE, "for good")
          .atLeast("1")
          .java("retention(Retention)")
          .json("retention.bytes")
          .changes(Change.RUNNING)
          .means("the oldest closed block is removed when the others have this many bytes")
          .meansInJson("the oldest closed file is removed when the others have this many bytes");

  /** See {@link MessageQueue.Builder#retention}. */
  public static final Option<Long> RETENTION_MESSAGES =
      TABLE
          .number("queue.retention.messages", "messages")
          .dflt(Long.MAX_VALUE, "for good")
          .atLeast("1")
          .java("retention(Retention)")
          .json("retention.messages")
          .changes(Change.RUNNING)
          .means("the oldest closed block is removed when the others have this many messages")
          .meansInJson("the oldest closed file is removed when the others have this many messages");

  /** See {@link Retention#removingUnfinished}. */
  public static final Option<Boolean> RETENTION_UNFINISHED =
      TABLE
          .flag("queue.retention.unfinished", false)
          .java("retention(Retention)")
          .changes(Change.RUNNING)
          .means("whether the retention also removes what a subscriber has not completed");

  /** See {@link MessageQueue.Builder#diskReserve}; none: by the size of the volume. */
  public static final Option<Long> DISK_RESERVE =
      TABLE
          .bytes("queue.disk.reserve")
          .dflt(null, "256 MB or 5 % of the volume, whichever is less")
          .atLeast("0")
          .allowed("0 or more; 0 means none")
          .java("diskReserve(long)")
          .means(
              "bytes that stay free on the volume of the queue's directory: below them publishing"
                  + " throws `QueueFullException`. See [Limits](#limits)")
          .meansInJson(
              "bytes that stay free on the volume of the queue's directory: below them publishing ends with `QueueFullException` until there is space again");

  /** See {@link MessageQueue.Builder#ehcache}. */
  public static final Option<Path> EHCACHE =
      TABLE
          .path("ehcache.config")
          .dflt(null, "built-in cache")
          .allowed("an Ehcache 3 file")
          .java("ehcache(Path)")
          .means("cache for messages that are delivered again, see [below](#ehcacheconfig)");

  static {
    TABLE.withoutEffect("queue.lock.timeout");
    TABLE.withoutEffect("queue.recovery.threshold");
    TABLE.withoutEffect("queue.blocks.unused");
    TABLE.withoutEffect("queue.chronicle.size");
    TABLE.withoutEffect("queue.max.expire.sweep");
    TABLE.element("backup");
  }

  /** See {@link MessageQueue.Builder#backup}; none: drained blocks are deleted. */
  public static final Option<Path> BACKUP_DIRECTORY =
      TABLE
          .path("backup.directory")
          .dflt(null, "required")
          .allowed("not in, over or the same as the queue's own directory")
          .java("backup(Path, Duration)")
          .means("base directory; the queue has a directory of its name in it");

  /** See {@link MessageQueue.Builder#backup}. */
  public static final Option<Duration> BACKUP_RETENTION =
      TABLE
          .duration("backup.retention")
          .dflt(Duration.ZERO, "required")
          .atLeast("0")
          .allowed("0 or more; 0 means for ever")
          .java("backup(Path, Duration)")
          .json("backup.retention")
          .changes(Change.RUNNING)
          .means("how long a backup is kept after it was made")
          .meansInJson("how long a backup is kept after it was made; zero: for ever");

  /** See {@link MessageQueue.Builder#backupFull}. */
  public static final Option<BackupFull> BACKUP_FULL =
      TABLE
          .constant("backup.full", BackupFull.KEEP)
          .java("backupFull(BackupFull)")
          .json("backup.full")
          .changes(Change.RUNNING)
          .means(
              "what becomes of a drained block for whose backup there is no space: it stays, and is"
                  + " tried again; or after three tries it is deleted without a backup, with a"
                  + " warning")
          .meansInJson(
              "what becomes of a file for whose backup there is no space: it stays in the log until there is, or is deleted after three tries");

  static {
    TABLE.element("recycle");
  }

  /** See {@link SizeBasedRecycle#ofMessages}. */
  public static final Option<Long> RECYCLE_MESSAGES =
      TABLE
          .number("recycle.size", "messages")
          .dflt(null, "–")
          .atLeast("1")
          .allowed("1 or more")
          .java("SizeBasedRecycle.ofMessages(long)")
          .json("recycle.messages")
          .means("`SizeBasedRecycle`: closed when it has this many messages")
          .meansInJson("closed when it has this many messages");

  /** See {@link SizeBasedRecycle#ofBytes}. */
  public static final Option<Long> RECYCLE_BYTES =
      TABLE
          .bytes("recycle.bytes")
          .dflt(null, "–")
          .atLeast("1")
          .allowed("1 or more")
          .java("SizeBasedRecycle.ofBytes(long)")
          .json("recycle.bytes")
          .means(
              "`SizeBasedRecycle`: closed when its messages have this many bytes; with both, whichever"
                  + " comes first")
          .meansInJson("closed when its messages have this many bytes");

  /** See {@link TimeBasedRecycle#every}. */
  public static final Option<Duration> RECYCLE_AGE =
      TABLE
          .duration("recycle.time")
          .dflt(null, "–")
          .atLeast("1ms")
          .java("TimeBasedRecycle.every(Duration)")
          .json("recycle.age")
          .means(
              "`TimeBasedRecycle`: closed this long after its first message, on an idle queue too")
          .meansInJson("closed this long after its first message, also when nothing is published");

  static {
    TABLE.end();
  }

  private QueueOptions() {}

  private static class ObjectType<T> extends OptionType<T> {
    private final Class<? extends T> type;

    @SuppressWarnings("unchecked") // the raw class of T
    ObjectType(Class<?> type) {
      super(Json.TEXT, "class", "");
      this.type = (Class<? extends T>) type;
    }

    @Override
    public T parse(String text) {
      throw new IllegalArgumentException(text);
    }

    @Override
    public T read(ConfigNode node, String param) {
      return node.instantiateParam(param, type);
    }
  }

  /** The class of a converter, or the name of one that is there. */
  private static final class ConverterType extends ObjectType<MessageConverter<?>> {
    private static final Map<String, MessageConverter<?>> NAMED =
        Map.of("bytes", MessageConverter.bytes(), "utf8", MessageConverter.utf8());

    ConverterType() {
      super(MessageConverter.class);
    }

    @Override
    public MessageConverter<?> read(ConfigNode node, String param) {
      MessageConverter<?> named = NAMED.get(node.requireParam(param));
      return named == null ? super.read(node, param) : named;
    }
  }

  /** Names of queues, separated by commas or spaces. */
  private static final class NamesType extends OptionType<List<String>> {
    NamesType() {
      super(Json.TEXT, "names", "");
    }

    @Override
    public List<String> parse(String text) {
      return List.of(text.split("[\\s,]+"));
    }

    @Override
    public String text(List<String> names) {
      return String.join(" ", names);
    }
  }
}
