// Runs a machine one step without a live actor, for the many aggregates that only react to their own events.
// The `transition` that xstate documents builds an actor and two systems on each call; one scope serves all here.
import {
  createEmptyActor,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type ActorScope,
  type EventObject
} from 'xstate'

const self = createEmptyActor()
// oxlint-disable-next-line typescript/no-explicit-any -- one scope for machines of every type
const scope: ActorScope<any, any> = {
  self,
  id: '',
  sessionId: '',
  system: self.system,
  logger: () => {},
  defer: () => {},
  emit: () => {},
  stopChild: () => {},
  actionExecutor: action => {
    throw new Error(`a machine run by steps cannot execute ${action.type}`)
  }
}

/** xstate keeps what a guard or action threw inside the snapshot; a step throws it. */
const sound = (snapshot: AnyMachineSnapshot): AnyMachineSnapshot => {
  if (snapshot.status === 'error') throw snapshot.error
  return snapshot
}

/** The machine's snapshot after an event. Only for machines without timers and invocations. */
export const step = (
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  event: EventObject
): AnyMachineSnapshot => sound(machine.transition(snapshot, event, scope))
