package com.wookler.river.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;

/** Asks brokers as an administrator. */
final class Admins {
  private Admins() {}

  /** What is asked. */
  @FunctionalInterface
  interface Question<T> {
    T ask(Admin admin) throws InterruptedException, ExecutionException;
  }

  /** Returns those of a client's properties that an administrator has, with its timeouts. */
  static Map<String, Object> properties(Map<String, ?> clients) {
    Map<String, Object> properties = new HashMap<>(clients);
    properties.keySet().retainAll(AdminClientConfig.configNames());
    ClientProperties.completeTimeouts(properties);
    return properties;
  }

  /**
   * Returns the answer to a question.
   *
   * @param failure the text of the exception, as "the topic orders cannot be created"
   * @throws KafkaException the brokers do not answer, or refuse it
   */
  static <T> T ask(Map<String, ?> clients, String failure, Question<T> question) {
    try (Admin admin = Admin.create(properties(clients))) {
      return question.ask(admin);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      throw new KafkaException(failure, e.getCause());
    }
  }
}
