// What the servers of a cluster tell its leader of their own nodes.
import * as Type from 'typebox'
import { strict } from './strict.js'

const ofThing = {
  Partition: Type.String(),
  Namespace: Type.String(),
  /** Of the check, or of the service. */
  ID: Type.String(),
  /** Index of what it follows from, where that is known. */
  Cause: Type.Optional(Type.Union([Type.Integer(), Type.Array(Type.Integer())]))
}

const example = { Partition: 'default', Namespace: 'default', ID: 'web' }

export const checkFinding = strict(
  { ...ofThing, Status: Type.String(), Output: Type.String() },
  { examples: [{ ...example, Status: 'passing', Output: '' }] }
)

/** Of a service that was critical for too long. */
export const serviceFinding = strict(ofThing, { examples: [example] })
