package com.wookler.river.spring.test;

import com.wookler.river.spring.RiverListener;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.springframework.stereotype.Component;

@Component
class Billing {
  final BlockingQueue<Order> billed = new LinkedBlockingQueue<>();

  record Order(int number, String customer) {}

  @RiverListener(queue = "orders", subscriber = "billing")
  void on(Order order) {
    billed.add(order);
  }
}
