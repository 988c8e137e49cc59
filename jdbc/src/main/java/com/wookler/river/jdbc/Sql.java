package com.wookler.river.jdbc;

import com.wookler.river.common.errors.ConfigurationException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What all tables of this module share: names, transactions and SQL states. */
final class Sql {
  private static final Pattern TABLE =
      Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?");
  private static final String INTEGRITY = "23"; // class of SQL states: a constraint was violated
  private static final Set<String> NO_TABLE = Set.of("42P01", "42S02", "42S03", "42S04");

  private Sql() {}

  /** Returns a name if it is one of a table: everything else would end up in a statement. */
  static String table(String name) {
    if (!TABLE.matcher(name).matches()) {
      throw new ConfigurationException("'" + name + "' is not the name of a table");
    }
    return name;
  }

  /** Refuses a connection that commits each statement by itself. */
  static void requireTransaction(Connection connection, String purpose) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new IllegalStateException(
          "the connection commits by itself: call setAutoCommit(false), so that "
              + purpose
              + " and data are one transaction");
    }
  }

  static boolean violatesConstraint(SQLException e) {
    String state = e.getSQLState();
    return state != null && state.startsWith(INTEGRITY);
  }

  static boolean missesTable(SQLException e) {
    return NO_TABLE.contains(String.valueOf(e.getSQLState()));
  }

  /** Returns numbers as the list of an {@code in}. */
  static String list(List<Long> numbers) {
    return numbers.stream().map(String::valueOf).collect(Collectors.joining(",", "(", ")"));
  }
}
