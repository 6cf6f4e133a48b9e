/** The decoder of meshoptimizer in JavaScript, whose package has types only for the one in WebAssembly. */
declare module '*/meshopt_decoder_reference.js' {
  export { MeshoptDecoder } from 'meshoptimizer/decoder'
}
