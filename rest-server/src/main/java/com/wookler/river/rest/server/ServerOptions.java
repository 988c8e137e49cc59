package com.wookler.river.rest.server;

import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.OptionTable;
import com.wookler.river.rest.server.memcache.ReplyKey;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The options of a server, one row each: the builder's checks, XML, the schema and
 * docs/configuration.md are generated from these rows.
 */
final class ServerOptions {
  /** All options of a server. */
  static final OptionTable TABLE = new OptionTable("server");

  private static final int HEAP_PART = 4;

  static final Option<String> HOST =
      TABLE
          .text("server.host")
          .dflt("127.0.0.1")
          .unit("address")
          .java("host(String)")
          .means(
              "where it listens. Whatever others can reach needs keys and TLS, or "
                  + "`server.insecure`");

  static final Option<Long> PORT =
      TABLE
          .number("server.queue.port", "–")
          .dflt("8080")
          .between("0", "65535")
          .allowed("0 to 65535; 0 is any that is free")
          .java("port(int)")
          .means("the one port, with TLS or without");

  static final Option<Long> THREADS =
      TABLE
          .number("server.server.threads", "threads")
          .dflt("2")
          .atLeast("1")
          .allowed("1 or more")
          .java("threads(int)")
          .means("event loops, which handle connections");

  static final Option<Path> DIRECTORY =
      TABLE
          .path("server.directory")
          .dflt("river-data")
          .java("directory(Path)")
          .means("base directory of the queues that requests make");

  static final Option<Path> BACKUP_DIRECTORY =
      TABLE
          .path("server.backup.directory")
          .dflt(null, "none: such requests are refused")
          .allowed("not in, over or the same as `server.directory`")
          .java("backupDirectory(Path)")
          .means(
              "base directory of the backups of queues that requests make, each below its "
                  + "name; no request says where");

  static final Option<Path> SNAPSHOT_DIRECTORY =
      TABLE
          .path("server.snapshot.directory")
          .dflt(null, "none: such requests are refused")
          .allowed(
              "on the volume of `server.directory`, and not in, over or the same as it and "
                  + "`server.backup.directory`")
          .java("snapshotDirectory(Path)")
          .means("base directory of the snapshots that requests make");

  static final Option<Boolean> AUTO_CREATE =
      TABLE
          .flag("server.auto.create", true)
          .java("autoCreate(boolean)")
          .means(
              "whether publishing makes a queue, and taking with `create=true` a subscriber, "
                  + "that is not there; where there are keys, for those who may administer it");

  static final Option<Path> KEYS_FILE =
      TABLE
          .path("server.keys.file")
          .dflt(null, "none: everybody may")
          .allowed("a file of `./river keys`")
          .java("keys(Path)")
          .means("API keys, which every request needs then; changes take effect within a second");

  static final Option<Path> CERTIFICATE =
      TABLE
          .path("server.ssl.certificate")
          .dflt(null, "none: no TLS")
          .allowed("PEM")
          .java("certificate(Path, Path)")
          .means("certificate chain; read anew when it changes");

  static final Option<Path> KEY =
      TABLE
          .path("server.ssl.key")
          .dflt(null, "–")
          .allowed("PEM")
          .java("certificate(Path, Path)")
          .means("its private key");

  static final Option<Path> KEYSTORE =
      TABLE
          .path("server.ssl.keystore")
          .dflt(null, "none: no TLS")
          .allowed("PKCS12")
          .java("keystore(Path, String)")
          .means("both in one file, instead; read anew when it changes");

  static final Option<String> PASSWORD =
      TABLE
          .text("server.ssl.password")
          .dflt(null, "–")
          .java("keystore(Path, String)")
          .means("of the store; best as `${env:…}`");

  static final Option<Path> CLIENT_CA =
      TABLE
          .path("server.ssl.client.ca")
          .dflt(null, "none: clients need no certificate")
          .allowed("PEM; with TLS")
          .java("clientAuthority(Path)")
          .means(
              "only clients connect whose certificate one of this file has signed; read anew when "
                  + "it changes");

  static final Option<Long> HEALTH_PORT =
      TABLE
          .number("server.health.port", "–")
          .dflt(null, "none")
          .between("0", "65535")
          .allowed("0 to 65535; 0 is any that is free")
          .java("healthPort(int)")
          .means(
              "a second port, for health checks and `/metrics` alone; with the same TLS, but for "
                  + "clients without a certificate");

  static final Option<Boolean> INSECURE =
      TABLE
          .flag("server.insecure", false)
          .java("insecure(boolean)")
          .means("lets others reach it without keys or TLS");

  static final Option<String> ALLOWED_HOSTS =
      TABLE
          .text("server.allowed.hosts")
          .dflt(null, "none")
          .unit("names")
          .allowed("separated by spaces or commas")
          .java("allowedHost(String)")
          .means(
              "names by which requests may call it, besides addresses, `localhost` and "
                  + "`server.host`");

  static final Option<Long> MAX_BODY_BYTES =
      TABLE
          .bytes("server.max.body.bytes")
          .dflt("1MB")
          .between("1", "128MB")
          .allowed("to `128MB`")
          .java("maxBodyBytes(long)")
          .means("largest body of a request");

  static final Option<Long> MAX_CONNECTIONS =
      TABLE
          .number("server.max.connections", "–")
          .dflt("20000")
          .atLeast("1")
          .allowed("1 or more")
          .java("maxConnections(int)")
          .means("connections at the same time; those beyond are closed");

  static final Option<Long> MAX_CONNECTIONS_PER_ADDRESS =
      TABLE
          .number("server.max.connections.per.address", "–")
          .dflt("10000")
          .atLeast("1")
          .allowed("1 or more")
          .java("maxConnectionsPerAddress(int)")
          .means("of them, from one address, or one IPv6 network of /64; those beyond are closed");

  static final Option<Long> MAX_REQUESTS =
      TABLE
          .number("server.max.requests", "–")
          .dflt("1000")
          .atLeast("1")
          .allowed("1 or more")
          .java("maxRequests(int)")
          .means(
              "requests under way at the same time, without those that wait for messages; "
                  + "those beyond are answered with 429");

  static final Option<Long> MAX_WAITING =
      TABLE
          .number("server.max.waiting", "–")
          .dflt("20000")
          .atLeast("1")
          .allowed("1 or more")
          .java("maxWaiting(int)")
          .means("long polls and streams at the same time; those beyond are answered with 429");

  static final Option<Long> MAX_BUFFERED_BYTES =
      TABLE
          .bytes("server.max.buffered.bytes")
          .dflt(Runtime.getRuntime().maxMemory() / HEAP_PART, "a quarter of the heap")
          .atLeast("1")
          .allowed("4 times `server.max.body.bytes` or more")
          .java("maxBufferedBytes(long)")
          .means(
              "bodies and answers in memory together; beyond that those without progress are "
                  + "evicted ([rest.md](rest.md#limits))");

  static final Option<Long> MIN_BODY_RATE =
      TABLE
          .bytes("server.min.body.rate")
          .dflt("1KB")
          .atLeast("1")
          .allowed("1 or more")
          .java("minBodyRate(long)")
          .means("bytes a second that a body brings at least, looked at every 5 s");

  static final Option<Duration> IDLE_TIMEOUT =
      TABLE
          .duration("server.idle.timeout")
          .dflt("60ss")
          .atLeast("1ms")
          .java("idleTimeout(Duration)")
          .means("how long a connection may be without a request, whatever it sends");

  static final Option<Duration> REQUEST_TIMEOUT =
      TABLE
          .duration("server.request.timeout")
          .dflt("30ss")
          .atLeast("1ms")
          .java("requestTimeout(Duration)")
          .means("how long a request's body may take");

  static final Option<Long> MEMCACHE_PORT =
      TABLE
          .number("memcache.port", "–")
          .dflt(null, "none: not spoken")
          .between("0", "65535")
          .allowed("0 to 65535; 0 is any that is free")
          .java("memcache(int)")
          .means("port at which it speaks memcache's text protocol ([kestrel.md](kestrel.md))");

  static final Option<String> MEMCACHE_HOST =
      TABLE
          .text("memcache.host")
          .dflt("127.0.0.1")
          .unit("address")
          .java("memcacheHost(String)")
          .means(
              "where it does. Whatever others can reach needs `server.insecure`: the protocol has "
                  + "no keys");

  static final Option<ReplyKey> MEMCACHE_REPLY_KEY =
      TABLE
          .constant("memcache.reply.key", ReplyKey.ASKED)
          .java("memcacheReplyKey(ReplyKey)")
          .means("the key of a value: as the client asked, or the queue's name, as Kestrel's");

  static final Option<Long> MEMCACHE_MAX_OPEN =
      TABLE
          .number("memcache.max.open", "reads")
          .dflt("100")
          .atLeast("1")
          .allowed("1 or more")
          .java("memcacheMaxOpen(int)")
          .means("reads that a connection may have open on a queue");

  static final Option<Boolean> MEMCACHE_SHUTDOWN =
      TABLE
          .flag("memcache.shutdown", false)
          .java("memcacheShutdown(boolean)")
          .means("whether a client may stop the server");

  static { // accepted for compatibility: there is one port, with or without TLS, and nothing is
    // compressed
    TABLE.withoutEffect("server.queue.ssl.port");
    TABLE.withoutEffect("server.records.compress");
    TABLE.end();
  }

  private ServerOptions() {}
}
