// Random commands about cursors.
import fc from 'fast-check'
import { cursorAggregate } from '../../actors/cursor.js'
import { move, type Move } from './arbitrary-move.js'
import { id } from './acl-resources.js'

const number = fc.nat(3)
const accessor = fc.nat(1).map(n => id(400 + n))

export const cursorMoves: readonly fc.Arbitrary<Move>[] = [
  move(fc.tuple(number, accessor, number), cursorAggregate, ([n, owner, Index], parts) => ({
    ...parts,
    name: 'PutCursor' as const,
    data: {
      name: `cursor-${n}`,
      owner,
      maxPerOwner: 3,
      Topics: ['KV'],
      Types: n === 0 ? ['KVSet'] : [],
      Filter: n === 1 ? 'Key == "a"' : '',
      Namespace: n === 2 ? '*' : 'default',
      Partition: 'default',
      Index: Index === 0 ? undefined : Index,
      Lease: 1e9 * (1 + n),
      Format: '',
      Group: null,
      URL: n === 2 ? `https://hooks.example/${Index}` : '',
      Secret: '',
      newSecret: `whsec_${Index}`
    }
  })),
  move(fc.tuple(number, number), cursorAggregate, ([n, index], parts) => {
    const name = `cursor-${n}`
    if (index === 3) return { ...parts, name: 'DeleteCursor' as const, data: { name } }
    if (index === 2 && n === 2)
      return {
        ...parts,
        name: 'SkipDeadLetter' as const,
        data: { name, from: 1, to: 90, reason: 'answered 500' }
      }
    return { ...parts, name: 'MoveCursors' as const, data: { moves: [{ name, index }] } }
  })
]
