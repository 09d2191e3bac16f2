// What every way of sharing a log keeps, in memory: so that what tests are built on behaves as etcd does.
import { MemorySharedLog } from '../../support/memory-shared-log.js'
import { SharedMemory } from '../../support/shared-memory.js'
import { sharedLogContract } from './shared-log.contract.js'

sharedLogContract(() => {
  const memory = new SharedMemory()
  return Promise.resolve(() => new MemorySharedLog(memory))
})
