// Creates a data folder with a log of a given length: entries under `load/`, each written many times, and one entry written once.
import { join } from 'node:path'
import { SegmentEventLog } from '../dist/events/log/segments/segment-event-log.js'

/** Entries that are written again and again. */
export const KEYS = 10_000
const BATCH = 500
const VALUE = Buffer.alloc(48, 'v').toString('base64')
/** The key that is written once, in the middle. */
export const RARE = 'rare/one'

const entry = (key, index) => ({
  LockIndex: 0,
  Key: key,
  Flags: 0,
  Value: VALUE,
  Namespace: 'default',
  Partition: 'default',
  CreateIndex: index,
  ModifyIndex: index
})

const commit = (index, key) => ({
  Index: index,
  Time: '2026-01-01T00:00:00Z',
  By: { AccessorID: '', Address: '127.0.0.1', RequestID: '', Command: 'SetKey' },
  Events: [
    {
      Topic: 'KV',
      Type: 'KVSet',
      Key: key,
      Namespace: 'default',
      Partition: 'default',
      FilterKeys: [`${key.split('/')[0]}/`],
      Payload: { KV: entry(key, index) }
    }
  ]
})

/** @param commits number of commits */
export async function makeLog(dataDir, commits) {
  const log = await SegmentEventLog.open({ path: join(dataDir, 'log') })
  const middle = Math.floor(commits / 2)
  for (let first = 1; first <= commits; first += BATCH)
    await log.append(
      Array.from({ length: Math.min(BATCH, commits - first + 1) }, (_, i) =>
        commit(first + i, first + i === middle ? RARE : `load/${(first + i) % KEYS}`)
      )
    )
  await log.close()
}
