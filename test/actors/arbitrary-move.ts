// One random command, to be asked of its aggregate.
import type fc from 'fast-check'
import type { Aggregate, Command, Decision } from '../../actors/aggregate.js'

/** When and where a command is asked. */
type MoveCommand = Pick<Command, 'tenancy' | 'at' | 'caller'>
/** Asks a command with these parts of its aggregate. */
export type Move = (
  ask: <C extends Command>(aggregate: Aggregate<C, Decision>, command: C) => void,
  parts: MoveCommand
) => void

/** A command of an aggregate, with what is drawn in it. */
export const move = <Drawn, C extends Command>(
  arbitrary: fc.Arbitrary<Drawn>,
  aggregate: Aggregate<C, Decision>,
  command: (drawn: Drawn, parts: MoveCommand) => NoInfer<C>
): fc.Arbitrary<Move> =>
  arbitrary.map(
    (drawn): Move =>
      (ask, parts) =>
        ask(aggregate, command(drawn, parts))
  )
