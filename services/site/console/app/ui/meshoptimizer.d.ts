/** The decoder of meshoptimizer in JavaScript, whose package has types for the one in WebAssembly alone. */
declare module '*/meshopt_decoder_reference.js' {
  export { MeshoptDecoder } from 'meshoptimizer/decoder'
}
