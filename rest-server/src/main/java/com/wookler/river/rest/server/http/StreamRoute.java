package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.Load;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.Right;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Set;

/**
 * Taking messages as they come, over one connection. By POST, because it changes which messages are
 * out: a page of another site can make a browser send a GET, and no origin with it.
 */
final class StreamRoute {
  private static final String PATH = "/v1/queues/{queue}/subscribers/{subscriber}/stream";
  private static final int CREDIT = 100;
  private static final int MOST_CREDIT = 10_000;

  private final QueueResolver queues;
  private final Streams streams;
  private final Load load;

  StreamRoute(QueueResolver queues, Streams streams, Load load) {
    this.queues = queues;
    this.load = load;
    this.streams = streams;
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(
            HttpMethod.POST, PATH, Right.CONSUME, Set.of("credit", "create"), this::stream));
  }

  private Future<Answer> stream(Call call) {
    int credit = call.query("credit", CREDIT, MOST_CREDIT);
    call.name("queue");
    call.name("subscriber");
    Boolean create = call.flag("create");
    StreamFormat format = format(call);
    load.beginWaiting(call.exchange()::whenOver);
    return call.blocking(
            () ->
                queues
                    .taken(call.access(), call.name("queue"), call.name("subscriber"), create)
                    .subscriber())
        .compose(hosted -> streams.open(call, hosted, credit, format));
  }

  private static StreamFormat format(Call call) {
    String lines = StreamFormat.LINES.type();
    String events = StreamFormat.EVENTS.type();
    String type = Accept.choose(call.request().headers().getAll("Accept"), List.of(lines, events));
    if (type == null) {
      throw Problem.of(Problem.Kind.NOT_ACCEPTABLE, "there are " + lines + " and " + events);
    }
    return type.equals(lines) ? StreamFormat.LINES : StreamFormat.EVENTS;
  }
}
