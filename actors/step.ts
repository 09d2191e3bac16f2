// Runs a machine one step without a live actor. The `transition` of xstate creates an actor and two systems
// per call; here all calls share one scope.
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

/** xstate stores an error of a guard or action in the snapshot; a step throws it. */
const throwErrorOf = (snapshot: AnyMachineSnapshot): AnyMachineSnapshot => {
  if (snapshot.status === 'error') throw snapshot.error
  return snapshot
}

/** Returns the machine's snapshot after an event. Only for machines without timers and invocations. */
export const step = (
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  event: EventObject
): AnyMachineSnapshot => throwErrorOf(machine.transition(snapshot, event, scope))
