// A server that receives an erasure, and ends before it begins.
import { Lifecycle, scoped, type DependencyContainer } from 'tsyringe'
import { ErasureProcess } from '../../actors/erasure/erasure-process.js'

@scoped(Lifecycle.ContainerScoped)
class NoErasure extends ErasureProcess {
  override start(): void {}
}

/** For `TestServerOptions.register`. */
export const withoutErasure = (container: DependencyContainer): void =>
  void container.register(ErasureProcess, NoErasure, { lifecycle: Lifecycle.ContainerScoped })
