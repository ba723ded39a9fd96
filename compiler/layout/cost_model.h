// The cost model of layout decisions: one table, in cycles a warp, printed by --remarks=layout.
//
// Orders of magnitude of sm_80..sm_90 (throughput of one SM sub-partition), good enough to rank
// alternatives; they are not a timing model. Anything about an architecture is in target/arch.h.
#pragma once

namespace tilec::cost {

/// One 32-byte sector moved to or from global memory by one warp request.
inline constexpr double kSector = 8;
/// Issue of one global request, whatever it moves.
inline constexpr double kGlobalRequest = 4;
/// The address of a request that is no constant number of bytes from another's: a 64-bit addition.
inline constexpr double kAddress = 1;
/// One warp shuffle (shfl.sync of 32 bits).
inline constexpr double kShuffle = 2;
/// One select or move on registers.
inline constexpr double kRegisterOp = 0.5;
/// One conflict-free shared-memory wavefront (up to 128 bytes).
inline constexpr double kSharedWavefront = 2;
/// A barrier of the whole program.
inline constexpr double kBarrier = 20;
/// One matrix instruction of a warp (m16n8 with 32 bytes of k); one multiply-add of a warp.
inline constexpr double kMatrixInstruction = 8;
inline constexpr double kMultiplyAdd = 1;
/// One wavefront of a stream of reads: an SM moves one a cycle for its four sub-partitions.
inline constexpr double kStreamedWavefront = 4;
/// Arithmetic of matrices and reads of their operands overlap; this share of the shorter does not.
inline constexpr double kOverlapLoss = 0.125;
/// What a trip through shared memory between two dots costs beyond its accesses, since nothing that
/// follows can start: the latency of a write and a read.
inline constexpr double kExposedTrip = 50;
/// How many times a loop body is assumed to run when its trip count is unknown.
inline constexpr double kLoopWeight = 16;

} // namespace tilec::cost
