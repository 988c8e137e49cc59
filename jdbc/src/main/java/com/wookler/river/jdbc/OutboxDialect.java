package com.wookler.river.jdbc;

import com.wookler.river.common.errors.ConfigurationException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;

/** How the tables of an outbox are made and locked in one kind of database. */
enum OutboxDialect {
  POSTGRESQL("bigint generated always as identity", "text", "bytea", ""),
  H2("bigint generated always as identity", "varchar", "blob", ""),
  /** MariaDB too. An automatic number has to be the first column of some key there. */
  MYSQL(
      "bigint not null auto_increment unique",
      "text",
      "longblob",
      " character set utf8mb4 collate utf8mb4_bin engine=InnoDB");

  private final String number;
  private final String text;
  private final String bytes;
  private final String storage;

  OutboxDialect(String number, String text, String bytes, String storage) {
    this.number = number;
    this.text = text;
    this.bytes = bytes;
    this.storage = storage;
  }

  /**
   * Returns the dialect of a connection's database.
   *
   * @throws ConfigurationException it is none of those that are known
   */
  static OutboxDialect of(Connection connection) throws SQLException {
    String product = connection.getMetaData().getDatabaseProductName();
    return switch (product.toLowerCase(Locale.ROOT)) {
      case "postgresql" -> POSTGRESQL;
      case "h2" -> H2;
      case "mysql", "mariadb" -> MYSQL;
      default ->
          throw new ConfigurationException(
              "an outbox can be in PostgreSQL, H2, MySQL and MariaDB, not in " + product);
    };
  }

  /** Returns the statements that create the tables if they do not exist. */
  List<String> ddl(String table) {
    return List.of(
        "create table if not exists "
            + table
            + " (id "
            + number
            + ", queue_name varchar(64) not null, message_key "
            + text
            + ", message_id "
            + text
            + ", headers "
            + bytes
            + ", delay_micros bigint, expiry_micros bigint, written_micros bigint not null,"
            + " data_bytes int not null, data "
            + bytes
            + " not null, primary key (queue_name, id))"
            + storage,
        "create table if not exists "
            + table
            + "_relay (queue_name varchar(64) not null, queue_id varchar(36) not null,"
            + " origin varchar(36) not null, next_position bigint not null, claimed "
            + text
            + " not null, primary key (queue_name, queue_id))"
            + storage,
        "create table if not exists "
            + table
            + "_lease (queue_name varchar(64) not null, holder varchar(36) not null,"
            + " beat bigint not null, primary key (queue_name))"
            + storage);
  }

  /** Returns the channel on which PostgreSQL notifies of new messages in a table. */
  static String channel(String table) {
    return table.toLowerCase(Locale.ROOT).replace('.', '_');
  }
}
