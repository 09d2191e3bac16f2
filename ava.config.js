export default {
  files: ['dist/test/**/*.test.js', '!dist/test/crash/**'],
  require: ['reflect-metadata'],
  nodeArguments: ['--enable-source-maps'],
  timeout: '2m',
  concurrency: 2
}
