// The thread that verifies the records of a source while the main thread applies those before them.
import { parentPort } from 'node:worker_threads'
import { splitRecords } from '../../events/log/split-records.js'
import { faultIn } from '../publication/verified-records.js'
import type { RecordTask } from './record-verifier.js'

parentPort?.on('message', ({ bytes, from, hashes }: RecordTask) => {
  const { records } = splitRecords(Buffer.from(bytes.buffer))
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(faultIn(records, from, Buffer.from(hashes.buffer)))
})
