// Publishes, takes and acknowledges with the client that was generated.
import {
  AckResultResultEnum,
  Configuration,
  DeliveriesApi,
  Durability,
  MessagesApi,
  Problem,
  ResponseError,
} from './client';

declare const process: {argv: string[]; exit(code: number): never};

function check(right: boolean, what: unknown): asserts right {
  if (!right) {
    throw new Error(JSON.stringify(what));
  }
}

async function main(basePath: string, queue: string): Promise<void> {
  const configuration = new Configuration({basePath});
  const messages = new MessagesApi(configuration);
  const deliveries = new DeliveriesApi(configuration);
  const subscriber = 'billing';

  const first = {data: 'order 1 ä', key: 'eu', id: '1', headers: {type: 'order'}};
  const published = await messages.publish({
    queue,
    publishRequest: first,
    durability: Durability.Disk,
  });
  check(published.sequence === 0 && published.durability === Durability.Disk, published);
  check(!published.duplicate, published);
  check((await messages.publish({queue, publishRequest: first})).duplicate, 'no duplicate');

  const batch = await messages.publishBatch({
    queue,
    publishBatchRequest: {messages: [{data: 'order 2'}, {base64: 'AP8='}]},
  });
  check(batch.first === 1 && batch.count === 2, batch);

  await messages.publishBytes({queue, riverKey: 'us', body: new Blob(['order 4'])});

  const taken = await deliveries.take({queue, subscriber, create: true, max: 10, wait: '5s'});
  check(taken.length === 4, taken);
  check(taken[0].data === 'order 1 ä' && taken[0].key === 'eu', taken);
  check(taken[0].headers['type'] === 'order', taken);
  check(taken[2].base64 === 'AP8=', taken);
  check(taken[3].data === 'order 4' && taken[3].key === 'us', taken);

  const receipts = taken.map((delivery) => delivery.receipt);
  const acknowledged = await deliveries.ack({queue, subscriber, ackRequest: {receipts}});
  check(
    acknowledged.results.every((each) => each.result === AckResultResultEnum.Ok),
    acknowledged,
  );
  check((await deliveries.take({queue, subscriber})).length === 0, 'not all are acknowledged');

  try {
    await messages.publish({queue, publishRequest: {data: 'late', expires: '0s'}});
    check(false, 'it accepts what has expired');
  } catch (e) {
    check(e instanceof ResponseError, String(e));
    const problem: Problem = await e.response.json();
    check(problem.status === 400 && problem.field === 'expires', problem);
  }
  console.log(`typescript: published, took and acknowledged ${taken.length} messages`);
}

main(process.argv[2], process.argv[3]).catch((e) => {
  console.error(e);
  process.exit(1);
});
