package com.wookler.river.core;

import com.wookler.river.core.message.MessageConverter;

// doc: converter
/** Orders as JSON; public and with a public constructor, so that XML can name it. */
public final class OrderConverter implements MessageConverter<Order> {
  private final MessageConverter<Order> json = MessageConverter.json(Order.class);

  @Override
  public byte[] toBytes(Order order) {
    return json.toBytes(order);
  }

  @Override
  public Order fromBytes(byte[] bytes) {
    return json.fromBytes(bytes);
  }
}
// doc end
