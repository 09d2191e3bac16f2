// Declares what a factory needs, so that only this file and the composition root ask the container.
import {
  instancePerContainerCachingFactory,
  type DependencyContainer,
  type FactoryProvider,
  type InjectionToken,
  type TokenProvider,
  type ValueProvider
} from 'tsyringe'

/** A dependency other than the one registration of a token. */
interface Lookup<T> {
  readonly find: (container: DependencyContainer) => T
}

type Dependency<T> = InjectionToken<T> | Lookup<T>
export type Dependencies<T extends readonly unknown[]> = readonly [
  ...{ readonly [K in keyof T]: Dependency<T[K]> }
]

/** Returns a dependency that is undefined if nothing is registered for the token. */
export const optional = <T>(token: InjectionToken<T>): Lookup<T | undefined> => ({
  find: container => (container.isRegistered(token) ? container.resolve(token) : undefined)
})

/** Returns a dependency on all registrations of the token, in their order. */
export const every = <T>(token: InjectionToken<T>): Lookup<readonly T[]> => ({
  find: container => (container.isRegistered(token) ? container.resolveAll(token) : [])
})

const isLookup = <T>(dependency: Dependency<T>): dependency is Lookup<T> =>
  typeof dependency === 'object' && 'find' in dependency

/** Returns the dependencies in their order. */
export function resolveAll<T extends readonly unknown[]>(
  container: DependencyContainer,
  dependencies: Dependencies<T>
): T
export function resolveAll(container: DependencyContainer, dependencies: readonly Dependency<unknown>[]) {
  return dependencies.map(each => (isLookup(each) ? each.find(container) : container.resolve(each)))
}

/** Returns a provider that calls `create` once per container, with the dependencies. */
export const factory = <T extends readonly unknown[], R>(
  dependencies: Dependencies<T>,
  create: (...values: T) => R
): FactoryProvider<R> => ({
  useFactory: instancePerContainerCachingFactory(container =>
    create(...resolveAll<T>(container, dependencies))
  )
})

export type Provider<T> = FactoryProvider<T> | TokenProvider<T> | ValueProvider<T>

/** Registers all providers for one token: see `every`. */
export const registerAll = <T>(
  container: DependencyContainer,
  token: InjectionToken<T>,
  providers: readonly Provider<T>[]
): void => {
  for (const provider of providers)
    if ('useFactory' in provider) container.register(token, provider)
    else if ('useToken' in provider) container.register(token, provider)
    else container.register(token, provider)
}
