// A whole server in this process: the real HTTP, actors and read models over a log and by a clock that are given.
import type { DependencyContainer } from 'tsyringe'
import { Clock, ClockWatch } from '../../actors/clock.js'
import { Deadlines } from '../../actors/deadlines.js'
import type { ProvableLog } from '../../events/log/provable-log.js'
import { startServer, type Companion, type RunningServer } from '../../server/running-server.js'
import type { LiveSettings } from '../../server/settings/live-settings.js'
import type { SetClock } from './set-clock.js'

interface InProcess extends RunningServer {
  /** Lets time pass, and has everything that is then due done. */
  readonly advance: (ms: number) => void
  /** Sets the clock of the machine forth or back, which the server notices. */
  readonly setClockBy: (ms: number) => void
}

/**
 * @param register replaces further parts of the container
 * @param companion goes with the server
 */
export const startInProcess = async (
  live: LiveSettings,
  log: ProvableLog,
  clock: SetClock,
  register: (container: DependencyContainer) => void = () => {},
  companion?: Companion
): Promise<InProcess> => {
  const equip = (container: DependencyContainer): void => {
    container.registerInstance<Clock>(Clock, clock)
    register(container)
  }
  const running = await startServer(live, log, equip, { companion })
  const deadlines = running.scope.resolve(Deadlines)
  const watch = running.scope.resolve(ClockWatch)
  return {
    ...running,
    advance: ms => {
      clock.advance(ms)
      deadlines.look()
    },
    setClockBy: ms => {
      clock.setBy(ms)
      watch.look()
    }
  }
}
