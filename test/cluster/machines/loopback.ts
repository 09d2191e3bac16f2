// Machines that are all this one: their processes are distinguished by ports.
import { freePort } from '../../support/process.js'
import type { Machine } from './machine.js'

/** Some machines that share 127.0.0.1. Their network cannot be broken: gates between their programs can. */
export const loopbackMachines = (count: number): readonly Machine[] =>
  Array.from({ length: count }, (_, at) => ({
    name: `machine-${at + 1}`,
    address: '127.0.0.1',
    testAddress: '127.0.0.1',
    hostAddress: '127.0.0.1',
    enter: [],
    freePort
  }))
