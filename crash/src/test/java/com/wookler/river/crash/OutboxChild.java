package com.wookler.river.crash;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.jdbc.OutboxListener;
import com.wookler.river.jdbc.OutboxRelay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Moves messages of an outbox into a queue until it is killed.
 *
 * <p>Arguments: directory, the URL of the database, a file that it makes when messages were moved.
 */
final class OutboxChild {
  private OutboxChild() {}

  static MessageQueue<String> open(Path directory) {
    MessageQueue<String> queue =
        MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory).open();
    queue.subscriber("all");
    return queue;
  }

  static OutboxRelay.Builder<String> relay(MessageQueue<String> queue, String url) {
    return OutboxRelay.builder(queue, MessageConverter.utf8(), source(url))
        .batchMessages(7)
        .poll(Duration.ofMillis(1))
        .pause(Duration.ofMillis(100));
  }

  private static DataSource source(String url) {
    if (url.startsWith("jdbc:h2:")) {
      JdbcDataSource source = new JdbcDataSource();
      source.setURL(url);
      return source;
    }
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setURL(url);
    return source;
  }

  static Connection connect(String url) throws Exception {
    Connection connection = DriverManager.getConnection(url);
    connection.setAutoCommit(false);
    return connection;
  }

  public static void main(String[] args) throws Exception {
    AtomicBoolean made = new AtomicBoolean();
    MessageQueue<String> queue = open(Path.of(args[0]));
    OutboxListener listener =
        new OutboxListener() {
          @Override
          public void moved(long messages) {
            if (!made.getAndSet(true)) {
              try {
                Files.createFile(Path.of(args[2]));
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            }
          }
        };
    relay(queue, args[1]).listener(listener).start();
    ChildProcess.endWithParent();
  }
}
