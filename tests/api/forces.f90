! Forces on three bodies from Fortran: the functions and the struct of <holmberg/holmberg.h>, by iso_c_binding.
module holmberg
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(c) :: hb_force_params
    type(c_ptr) :: scheme = c_null_ptr, precision = c_null_ptr, interaction = c_null_ptr
    type(c_ptr) :: custom_interaction = c_null_ptr, parameters = c_null_ptr
    type(c_ptr) :: context = c_null_ptr, device = c_null_ptr, tuning = c_null_ptr
    real(c_double) :: max_draw_s = 0, eps = 0
    integer(c_int) :: flags = 0
  end type

  interface
    integer(c_int) function hb_force_open(params, force) bind(c)
      import
      type(hb_force_params), intent(in) :: params
      type(c_ptr), intent(out) :: force
    end function
    integer(c_int) function hb_force_set_j(force, nj, m, x, v) bind(c)
      import
      type(c_ptr), value :: force
      integer(c_size_t), value :: nj
      real(c_double), intent(in) :: m(nj), x(3, nj), v(3, nj)
    end function
    integer(c_int) function hb_force_eval(force, ni, index, a, j, phi) bind(c)
      import
      type(c_ptr), value :: force
      integer(c_size_t), value :: ni
      integer(c_int32_t), intent(in) :: index(ni)
      real(c_double), intent(out) :: a(3, ni), j(3, ni), phi(ni)
    end function
    subroutine hb_force_close(force) bind(c)
      import
      type(c_ptr), value :: force
    end subroutine
  end interface
end module

program three_bodies
  use holmberg
  implicit none
  integer(c_size_t), parameter :: n = 3
  integer(c_int32_t), parameter :: index(n) = [0, 1, 2]
  real(c_double) :: m(n) = [3, 4, 5], v(3, n) = 0, a(3, n), j(3, n), phi(n)
  real(c_double) :: x(3, n) = reshape([1, 3, 0, -2, -1, 0, 1, -1, 0], [3, 3])
  type(hb_force_params) :: params
  type(c_ptr) :: force
  character(kind=c_char, len=5), target :: host = "host" // c_null_char
  integer :: i

  params%scheme = c_loc(host)
  params%eps = sqrt(3d0)
  if (hb_force_open(params, force) /= 0) stop 1
  if (hb_force_set_j(force, n, m, x, v) /= 0) stop 1
  if (hb_force_eval(force, n, index, a, j, phi) /= 0) stop 1
  do i = 1, n
    print '(a, i2, a, 3f12.8, a, f12.8)', "body", i, "  a =", a(:, i), "  phi =", phi(i)
  end do
  print '(a, f12.8)', "energy = ", sum(m * phi) / 2
  call hb_force_close(force)
end program
