import test from 'ava'
import { container, type DependencyContainer } from 'tsyringe'
import { component, ComponentRunner, nameOf, startOrder, type Component } from '../../server/component.js'

const [Disk, Log, Server] = [Symbol('Disk'), Symbol('Log'), Symbol('Server')]

/** Returns a container with a value for each token. */
const filled = (): DependencyContainer => {
  const scope = container.createChildContainer()
  for (const token of [Disk, Log, Server]) scope.registerInstance(token, nameOf(token))
  return scope
}

const namesOf = (components: readonly Component[]): readonly string[] =>
  components.map(({ token }) => nameOf(token))

interface Recorded {
  readonly scope: DependencyContainer
  readonly calls: string[]
  readonly started: Component[]
}

/** Declares the three components, which record their calls. @param fails the calls that fail */
const recorded = (...fails: readonly string[]): Recorded => {
  const calls: string[] = []
  const call = async (name: string): Promise<void> => {
    calls.push(name)
    if (fails.includes(name)) throw new Error(name)
  }
  const started = [
    component([Server], { needs: [Log], start: () => call('+server'), stop: () => call('-server') }),
    component([Disk], { start: () => call('+disk'), stop: () => call('-disk') }),
    component([Log], { needs: [Disk], start: () => call('+log'), stop: () => call('-log') })
  ]
  return { scope: filled(), calls, started }
}

test('components start after those they need, and stop in reverse order, once', async t => {
  const { scope, calls, started } = recorded()
  const runner = await ComponentRunner.start(scope, started)
  t.deepEqual(calls.splice(0), ['+disk', '+log', '+server'])
  await runner.stop()
  await runner.stop()
  t.deepEqual(calls, ['-server', '-log', '-disk'])
})

test('components without needs start in the order of the list', t => {
  t.deepEqual(namesOf(startOrder([component([Server], {}), component([Disk], {}), component([Log], {})])), [
    'Server',
    'Disk',
    'Log'
  ])
})

test('a failing start stops what was started, including itself, and later components never start', async t => {
  const { scope, calls, started } = recorded('+log', '-log')
  await t.throwsAsync(ComponentRunner.start(scope, started), { message: '+log' })
  t.deepEqual(calls, ['+disk', '+log', '-log', '-disk'])
})

test('a failing construction stops what was started', async t => {
  const { scope, calls, started } = recorded()
  scope.register(Server, {
    useFactory: () => {
      throw new Error('no socket')
    }
  })
  await t.throwsAsync(ComponentRunner.start(scope, started), { message: 'no socket' })
  t.deepEqual(calls, ['+disk', '+log', '-log', '-disk'])
})

test('everything stops after a failing stop, and the first failure is thrown', async t => {
  const { scope, calls, started } = recorded('-server', '-disk')
  const runner = await ComponentRunner.start(scope, started)
  calls.length = 0
  await t.throwsAsync(runner.stop(), { message: '-server' })
  t.deepEqual(calls, ['-server', '-log', '-disk'])
})

test('a missing need, a cycle and a component listed twice are rejected by their names', t => {
  t.throws(() => startOrder([component([Server], { needs: [Log] })]), {
    message: 'Server needs Log, which is not in the list'
  })
  const circle = [component([Server], { needs: [Log] }), component([Log], { needs: [Server] })]
  t.throws(() => startOrder(circle), { message: 'components need each other: Server -> Log -> Server' })
  t.throws(() => startOrder([component([Log], {}), component([Log], {})]), { message: 'Log is listed twice' })
})

test('a component receives what else it uses', async t => {
  const used: unknown[] = []
  const use = (...parts: readonly unknown[]): void => void used.push(...parts)
  const runner = await ComponentRunner.start(filled(), [component([Log, Disk], { start: use, stop: use })])
  await runner.stop()
  t.deepEqual(used, ['Log', 'Disk', 'Log', 'Disk'])
})
