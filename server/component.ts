// The parts of a server that start and stop with it: in the order of their needs, and in the reverse order.
import type { DependencyContainer, InjectionToken } from 'tsyringe'
import { type Dependencies, resolveAll } from '../actors/factories.js'

type Token = InjectionToken<unknown>

interface Lifecycle<T, U extends readonly unknown[]> {
  /** The components that start before this one and stop after it. */
  readonly needs?: readonly Token[]
  readonly start?: (part: T, ...used: U) => void | Promise<void>
  /** Also called if `start` fails. */
  readonly stop?: (part: T, ...used: U) => void | Promise<void>
}

interface Running {
  readonly start: () => void | Promise<void>
  readonly stop: () => void | Promise<void>
}

export interface Component {
  readonly token: Token
  readonly needs: readonly Token[]
  readonly construct: (scope: DependencyContainer) => Running
}

/** An optional capability of a server: what it registers, and what starts and stops with the server. */
export interface Capability {
  readonly register: (scope: DependencyContainer) => void
  readonly components: readonly Component[]
}

/** Declares a component: the class or token that the container constructs, and what else its start and stop use. */
export const component = <T, U extends readonly unknown[] = []>(
  [token, ...others]: readonly [InjectionToken<T>, ...Dependencies<U>],
  { needs = [], start, stop }: Lifecycle<T, U>
): Component => ({
  token,
  needs,
  construct: scope => {
    const part = scope.resolve(token)
    const used = resolveAll<U>(scope, others)
    return { start: () => start?.(part, ...used), stop: () => stop?.(part, ...used) }
  }
})

export const nameOf = (token: Token): string => {
  if (typeof token === 'symbol') return token.description ?? ''
  return typeof token === 'function' ? token.name : ''
}

const namesOf = (components: readonly Component[]): string =>
  components.map(({ token }) => nameOf(token)).join(' -> ')

/**
 * Returns the components in the order of the list, each after those that it needs.
 * @throws Error for a need that is not in the list, a cycle, and a component that is listed twice
 */
export const startOrder = (components: readonly Component[]): readonly Component[] => {
  const byToken = new Map(components.map(each => [each.token, each]))
  const ordered = new Set<Component>()
  for (const each of components)
    if (byToken.get(each.token) !== each) throw new Error(`${nameOf(each.token)} is listed twice`)
  const visit = (each: Component, path: readonly Component[]): void => {
    if (ordered.has(each)) return
    const before = path.indexOf(each)
    if (before >= 0) throw new Error(`components need each other: ${namesOf([...path.slice(before), each])}`)
    for (const token of each.needs) {
      const needed = byToken.get(token)
      if (!needed) throw new Error(`${nameOf(each.token)} needs ${nameOf(token)}, which is not in the list`)
      visit(needed, [...path, each])
    }
    ordered.add(each)
  }
  for (const each of components) visit(each, [])
  return [...ordered]
}

export class ComponentRunner {
  readonly #running: Running[] = []

  /** Constructs and starts the components. After a failure, stops those that were started, also in part. */
  static async start(scope: DependencyContainer, components: readonly Component[]): Promise<ComponentRunner> {
    const runner = new ComponentRunner()
    try {
      for (const each of startOrder(components)) {
        const running = each.construct(scope)
        runner.#running.push(running)
        await running.start()
      }
    } catch (error) {
      // The first error matters more than errors of the cleanup.
      await runner.stop().catch(() => {})
      throw error
    }
    return runner
  }

  /** Stops everything in reverse order, even after failures. A second call does nothing. @throws the first failure, at the end */
  async stop(): Promise<void> {
    const failures: unknown[] = []
    for (let running = this.#running.pop(); running; running = this.#running.pop()) {
      try {
        await running.stop()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
